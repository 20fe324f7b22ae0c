import { isRecord } from "../../core/json/read-json.ts";
import type { ToolUseBlock } from "../../core/message/message.ts";
import { describeCall } from "../../core/tool-calls/stand-in-call.ts";

/** Names a call by its tool and its main argument; paths are relative to the folder that the agent worked in. */
export function nameCall(call: ToolUseBlock | undefined, workingDirectory: string | undefined): string {
  if (call === undefined || workingDirectory === undefined || workingDirectory.length < 2) return describeCall(call);
  const shorten = (value: unknown) => (typeof value === "string" ? relativeTo(workingDirectory, value) : value);
  const { input } = call;
  const shorter = isRecord(input)
    ? Object.fromEntries(Object.entries(input).map(([name, value]) => [name, shorten(value)]))
    : shorten(input);
  return describeCall({ ...call, input: shorter });
}

/** Agents often begin a command by going where they are. */
function relativeTo(folder: string, text: string): string {
  const goThere = `cd ${folder} && `;
  const rest = text.startsWith(goThere) ? text.slice(goThere.length) : text;
  return rest.replaceAll(`${folder}/`, "");
}
