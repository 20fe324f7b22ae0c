import { asName, type JsonRecord } from "../../core/transcript/read-json.ts";

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

const INVENTED = "unnamed-call-";

/** Whether an id is ours: the agent sent none, or one that it had used before. Such ids occur in every conversation. */
export function isInventedCallId(id: string): boolean {
  return id.startsWith(INVENTED);
}

/**
 * Before version 3 Gemini has no ids: some agents send none, some send them with responses alone. Then the order counts, as it
 * does for Gemini itself.
 */
export function createCallNames(): CallNames {
  const idOf = new Map<string, string>();
  let open: readonly OpenCall[] = [];
  let isAnswering = false;
  let count = 0;

  function nameCall(call: JsonRecord): OpenCall {
    const wireId = asName(call.id);
    const invented = `${INVENTED}${count++}`;
    const id = wireId === undefined || idOf.has(wireId) ? invented : wireId;
    if (wireId !== undefined) idOf.set(wireId, id);
    return { id, wireId, name: call.name };
  }

  return {
    nameCalls(calls) {
      const named = calls.map(nameCall);
      open = isAnswering ? named : [...open, ...named];
      isAnswering = false;
      return named.map(({ id }) => id);
    },
    nameResponses(responses) {
      isAnswering = true;
      const answered = matchCalls(responses, open);
      open = open.filter((call) => !answered.includes(call));
      return answered.map((call, index) => {
        const wireId = asName(responses[index]?.id);
        return call?.id ?? (wireId === undefined ? "unknown-call" : (idOf.get(wireId) ?? wireId));
      });
    },
  };
}

type Match = (response: JsonRecord, call: OpenCall) => boolean;

/** The surest first: a response that names its call takes it before one that could be to any. */
const MATCHES: readonly Match[] = [
  ({ id }, { wireId }) => wireId !== undefined && id === wireId,
  ({ name }, call) => name === call.name,
  () => true,
];

function matchCalls(responses: readonly JsonRecord[], open: readonly OpenCall[]): readonly (OpenCall | undefined)[] {
  const taken = new Set<OpenCall>();
  const answered: (OpenCall | undefined)[] = responses.map(() => undefined);
  for (const isMatch of MATCHES) {
    for (const [index, response] of responses.entries()) {
      if (answered[index] !== undefined) continue;
      const call = open.find((each) => !taken.has(each) && isMatch(response, each));
      answered[index] = call;
      if (call !== undefined) taken.add(call);
    }
  }
  return answered;
}
