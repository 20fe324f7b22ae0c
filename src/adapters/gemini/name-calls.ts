import { asName, type JsonRecord } from "../../core/json/read-json.ts";
import { inventCallId } from "../../core/message/invented-call-id.ts";

/** Gives every call of a conversation an id of its own, and every response the id of the call that it answers. */
export interface CallNames {
  /** For the calls of one turn of the model, in order. */
  nameCalls(calls: readonly JsonRecord[]): readonly string[];
  /** For the responses of one turn of the user, in order. */
  nameResponses(responses: readonly JsonRecord[]): readonly string[];
}

interface OpenCall {
  readonly id: string;
  readonly wireId: string | undefined;
  readonly name: unknown;
}

/** The id of a call as the model, or the agent, gave it: Gemini CLI puts the function's name before it where it quotes its history. */
export function plainCallId(id: string, name: unknown): string {
  const prefix = `${name}__`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/**
 * Before version 3 Gemini has no ids: some agents send none, some send them with responses alone. Then the order counts, as it
 * does for Gemini itself.
 */
export function createCallNames(): CallNames {
  const idOf = new Map<string, string>();
  let open: OpenCall[] = [];
  let isAnswering = false;
  let count = 0;

  function nameCall(call: JsonRecord): OpenCall {
    const wireId = asName(call.id);
    const invented = inventCallId(count++);
    const id = wireId === undefined || idOf.has(wireId) ? invented : wireId;
    if (wireId !== undefined) idOf.set(wireId, id);
    return { id, wireId, name: call.name };
  }

  return {
    nameCalls(calls) {
      const named = calls.map(nameCall);
      if (isAnswering) open = [];
      isAnswering = false;
      for (const call of named) open.push(call);
      return named.map(({ id }) => id);
    },
    nameResponses(responses) {
      isAnswering = true;
      const answered = matchCalls(responses, open);
      const closed = new Set(answered);
      open = open.filter((call) => !closed.has(call));
      return answered.map((call, index) => {
        const wireId = asName(responses[index]?.id);
        return call?.id ?? (wireId === undefined ? "unknown-call" : (idOf.get(wireId) ?? wireId));
      });
    },
  };
}

/** By what a response finds its call. */
interface Match {
  readonly ofCall: (call: OpenCall) => unknown;
  readonly ofResponse: (response: JsonRecord) => unknown;
}

const NO_ID = Symbol("no id");

/** The surest first: a response that names its call takes it before one that could be to any. */
const MATCHES: readonly Match[] = [
  { ofCall: ({ wireId }) => wireId ?? NO_ID, ofResponse: ({ id }) => id },
  { ofCall: ({ name }) => name, ofResponse: ({ name }) => name },
  { ofCall: () => "any", ofResponse: () => "any" },
];

function matchCalls(responses: readonly JsonRecord[], open: readonly OpenCall[]): readonly (OpenCall | undefined)[] {
  const answered: (OpenCall | undefined)[] = responses.map(() => undefined);
  for (const { ofCall, ofResponse } of MATCHES) {
    if (!answered.includes(undefined)) break;
    const taken = new Set(answered);
    const free = groupCalls(
      open.filter((call) => !taken.has(call)),
      ofCall,
    );
    for (const [index, response] of responses.entries()) answered[index] ??= free.get(ofResponse(response))?.pop();
  }
  return answered;
}

/** The calls by what they are found by, the first of each at the end of its list. */
function groupCalls(calls: readonly OpenCall[], keyOf: Match["ofCall"]): ReadonlyMap<unknown, OpenCall[]> {
  const groups = new Map<unknown, OpenCall[]>();
  for (const call of calls.toReversed()) {
    const group = groups.get(keyOf(call));
    if (group === undefined) groups.set(keyOf(call), [call]);
    else group.push(call);
  }
  return groups;
}
