import { asName, type JsonRecord } from "../json/read-json.ts";
import { inventCallId } from "../message/tool-pairs.ts";

/** Gives every call of a conversation a unique id, and every response the id of the call that it answers. */
export interface CallNames {
  /** The ids of the calls of one turn of the model, in order. `at` is the index of the turn; it must grow from call to call. */
  nameCalls(calls: readonly JsonRecord[], at: number): readonly string[];
  /** The ids of the responses of one turn of the user, in order. */
  nameResponses(responses: readonly JsonRecord[]): readonly string[];
  areAllAnswered(): boolean;
  /** Forgets the turns from this index on. All calls before it must be answered. */
  rewind(at: number): void;
}

interface OpenCall {
  readonly id: string;
  readonly wireId: string | undefined;
  readonly name: unknown;
}

/** A call that got an id, with the data to undo that. */
interface NamedCall {
  readonly at: number;
  readonly wireId: string | undefined;
  /** The id that an earlier call with the same id on the wire got. */
  readonly idBefore: string | undefined;
}

/** The id of a call without the function's name, which Gemini CLI adds as a prefix where it quotes its history. */
export function plainCallId(id: string, name: unknown): string {
  const prefix = `${name}__`;
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/**
 * Before version 3, Gemini has no ids: some agents send none, others only with responses. Then calls and responses are matched by their
 * order, as Gemini itself does. `inventId` makes the id of a call without one from its number in the conversation.
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

/** A key by which a response is matched with its call. */
interface Match {
  readonly ofCall: (call: OpenCall) => unknown;
  readonly ofResponse: (response: JsonRecord) => unknown;
}

const NO_ID = Symbol("no id");

/** The most reliable first: a response with the id of its call is matched before one that could answer any call. */
const MATCHES: readonly Match[] = [
  { ofCall: ({ wireId }) => wireId ?? NO_ID, ofResponse: ({ id }) => id },
  { ofCall: ({ name }) => name, ofResponse: ({ name }) => name },
  { ofCall: () => "any", ofResponse: () => "any" },
];

function matchCalls(responses: readonly JsonRecord[], open: readonly OpenCall[]): readonly (OpenCall | undefined)[] {
  // Most responses have the order of the calls.
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

/** Groups calls by their key. The first call of each group is the last in its list, to be popped first. */
function groupCalls(calls: readonly OpenCall[], keyOf: Match["ofCall"]): ReadonlyMap<unknown, OpenCall[]> {
  const groups = new Map<unknown, OpenCall[]>();
  for (const call of calls.toReversed()) {
    const group = groups.get(keyOf(call));
    if (group === undefined) groups.set(keyOf(call), [call]);
    else group.push(call);
  }
  return groups;
}
