import { asName, type JsonRecord } from "../json/read-json.ts";
import { inventCallId } from "../message/tool-pairs.ts";

/** Gives every call of a conversation an id of its own, and every response the id of the call that it answers. */
export interface CallNames {
  /** For the calls of one turn of the model, in order; `at` is the index of the turn, each one higher than the one before. */
  nameCalls(calls: readonly JsonRecord[], at: number): readonly string[];
  /** For the responses of one turn of the user, in order. */
  nameResponses(responses: readonly JsonRecord[]): readonly string[];
  areAllAnswered(): boolean;
  /** Forgets the turns from this index on. Before it, all calls must be answered. */
  rewind(at: number): void;
}

interface OpenCall {
  readonly id: string;
  readonly wireId: string | undefined;
  readonly name: unknown;
}

/** A call that was named, and what it takes to forget it. */
interface NamedCall {
  readonly at: number;
  readonly wireId: string | undefined;
  /** The id that an earlier call got for the same id of the wire. */
  readonly idBefore: string | undefined;
}

/** The id of a call as the model, or the agent, gave it: Gemini CLI puts the function's name before it where it quotes its history. */
export function plainCallId(id: string, name: unknown): string {
  const prefix = `${name}__`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/**
 * Before version 3 Gemini has no ids: some agents send none, some send them with responses alone. Then the order counts, as it
 * does for Gemini itself. `inventId` names the calls that have none, by their number in the conversation.
 */
export function createCallNames(inventId: (number: number) => string = inventCallId): CallNames {
  const idOf = new Map<string, string>();
  let open: OpenCall[] = [];
  let isAnswering = false;
  const named: NamedCall[] = [];

  function nameCall(call: JsonRecord, at: number): OpenCall {
    const wireId = asName(call.id);
    const idBefore = wireId === undefined ? undefined : idOf.get(wireId);
    const id = wireId === undefined || idBefore !== undefined ? inventId(named.length) : wireId;
    named.push({ at, wireId, idBefore });
    if (wireId !== undefined) idOf.set(wireId, id);
    return { id, wireId, name: call.name };
  }

  function forget({ wireId, idBefore }: NamedCall): void {
    if (wireId === undefined) return;
    if (idBefore === undefined) idOf.delete(wireId);
    else idOf.set(wireId, idBefore);
  }

  return {
    nameCalls(calls, at) {
      const made = calls.map((call) => nameCall(call, at));
      if (isAnswering) open = [];
      isAnswering = false;
      for (const call of made) open.push(call);
      return made.map(({ id }) => id);
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
    areAllAnswered: () => open.length === 0,
    rewind(at) {
      for (let last = named.at(-1); last !== undefined && last.at >= at; last = named.at(-1)) {
        forget(last);
        named.pop();
      }
      open = [];
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
  // Most come as they were called.
  if (responses.length === open.length && responses.every(({ id }, index) => isNamed(id, open[index]))) return open;
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

function isNamed(id: unknown, call: OpenCall | undefined): boolean {
  return call?.wireId !== undefined && call.wireId === id;
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
