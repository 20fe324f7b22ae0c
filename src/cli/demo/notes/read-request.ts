import type { Message } from "../../../core/message/message.ts";

/** What the scripted model is asked to condense, taken apart. */
export interface CondensingRequest {
  readonly earlierSummary: string;
  readonly turns: readonly RequestTurn[];
}

export type RequestTurn =
  | { readonly type: "person"; readonly text: string }
  | { readonly type: "agent"; readonly text: string; readonly calls: readonly string[] }
  /** What came back from the calls of the turn before, in their order. */
  | { readonly type: "tools"; readonly outputs: readonly ToolOutput[] };

export interface ToolOutput {
  readonly tool: string;
  /** The call as it stands in the request: the tool's name and its input as JSON, which may be shortened. */
  readonly call: string;
  readonly text: string;
  readonly isError: boolean;
}

const EARLIER_SUMMARY = /<earlier_summary>\n([\s\S]*)\n<\/earlier_summary>/;
const CALL = /(?:^|\n\n)\[tool call ([\s\S]*?)\](?=\n\n|$)/g;
const OUTPUT = /<tool_output tool="([^"]*)"( status="error")?>\n([\s\S]*?)\n<\/tool_output>/g;
/** What was put into the conversation by others than its speakers: folds, gaps, images. */
const STAND_IN_LINE = /^\[.*\]$/gm;

/** Reads the messages of a condensing request: the conversation in text form, and what is asked for at the end. */
export function readRequest(messages: readonly Message[]): CondensingRequest {
  const texts = messages.map(({ role, content }) => ({ role, text: typeof content === "string" ? content : "" }));
  const ask = texts.at(-1)?.text ?? "";
  let calls: readonly string[] = [];
  const turns = texts.slice(0, -1).flatMap(({ role, text }): readonly RequestTurn[] => {
    if (role === "assistant") {
      calls = [...text.matchAll(CALL)].map((match) => match[1] ?? "");
      return [{ type: "agent", text: spoken(text.replaceAll(CALL, "")), calls }];
    }
    const outputs = [...text.matchAll(OUTPUT)].map(([, tool = "", status, output = ""], index) => {
      return { tool, call: calls[index] ?? tool, text: output, isError: status !== undefined };
    });
    const said = spoken(text.replaceAll(OUTPUT, ""));
    return [
      ...(outputs.length === 0 ? [] : [{ type: "tools", outputs } as const]),
      ...(said === "" ? [] : [{ type: "person", text: said } as const]),
    ];
  });
  return { earlierSummary: EARLIER_SUMMARY.exec(ask)?.[1] ?? "", turns };
}

function spoken(text: string): string {
  return text.replaceAll(STAND_IN_LINE, "").trim();
}
