/** What the scripted model and its tools say in a session, the same in every run. */
import type { ModelRequest, ModelServer, ScriptedReply } from "../../src/testing/index.ts";

/** Every third reply makes two calls. The ids come from a count: each server has its own. */
export function scriptedCalls(): (request: ModelRequest) => ScriptedReply {
  let replies = 0;
  return () => {
    replies += 1;
    const count = replies % 3 === 0 ? 2 : 1;
    const calls = Array.from({ length: count }, (_, index) => ({
      id: `call_${replies}_${index}`,
      name: "read_file",
      input: { path: `src/part-${replies}-${index}.ts` },
    }));
    return { type: "tool-calls", calls, text: `Step ${replies}: read on.` };
  };
}

export interface Fact {
  readonly query: string;
  readonly text: string;
}

/** Something that only one output of one session says. */
export function factOf(session: string, output: number): Fact {
  const name = `${session}gate${output}x`;
  return { query: `passcode of ${name}`, text: `The passcode of ${name} is ${(output + 1) * 7_919}.` };
}

const LINES = 48;

/** The output of a tool, some 3.5 KB with a fact in its middle. */
export function toolOutput(session: string, output: number): string {
  const lines = Array.from(
    { length: LINES },
    (_, line) => `export const value${line} = compute(${line * 31}, "${session}-${output}-${line}"); // step ${line}`,
  );
  lines.splice(LINES / 2, 0, `// ${factOf(session, output).text}`);
  return lines.join("\n");
}

const TOO_LONG =
  /prompt is too long|maximum context length|exceeds the context window|exceeds the maximum number of tokens/;

/** Why the server refused requests, other than for their length. */
export function invalidRequests({ requests }: Pick<ModelServer, "requests">): readonly string[] {
  return refusals(requests).filter((refusal) => !TOO_LONG.test(refusal));
}

export function tooLongRequests({ requests }: Pick<ModelServer, "requests">): readonly string[] {
  return refusals(requests).filter((refusal) => TOO_LONG.test(refusal));
}

function refusals(requests: readonly ModelRequest[]): readonly string[] {
  return requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
}
