import { describeError } from "../../core/describe-error.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import type { OutputFormat } from "../../core/layers/task-layer.ts";
import { checkValue } from "../tools/check-arguments.ts";
import type { OutputReport } from "./task-result.ts";

/** Checks whether a reply has the output format. Undefined where the format cannot be checked. Schemas follow the rules of `createArgumentCheck`. */
export async function checkOutput(
  format: string | OutputFormat | undefined,
  text: string,
): Promise<OutputReport | undefined> {
  if (format === undefined || typeof format === "string") return undefined;
  const { type, schema } = format;
  if (type !== "json" && schema === undefined) return undefined;
  const read: ReadReply = type === "json" ? readJson(text) : { isRead: true, value: text };
  if (!read.isRead) return { status: "invalid", errors: [read.error] };
  const { value } = read;
  if (schema === undefined) return { status: "valid", value };
  const verdict = await checkValue(schema, value, "The reply");
  return verdict.isValid ? { status: "valid", value } : { status: "invalid", errors: verdict.errors };
}

type ReadReply =
  | { readonly isRead: true; readonly value: unknown }
  | { readonly isRead: false; readonly error: string };

/** Parses a reply as JSON, or its only fenced block: models often put JSON into one. */
function readJson(text: string): ReadReply {
  try {
    return { isRead: true, value: parseJson(onlyFencedBlock(text) ?? text) };
  } catch (error) {
    return { isRead: false, error: `The reply is no JSON (${describeError(error)}). Send nothing but one JSON value.` };
  }
}

function onlyFencedBlock(text: string): string | undefined {
  const lines = text.split("\n");
  const fences = lines.flatMap((line, index) => (line.startsWith("```") ? [index] : []));
  const [first, last] = fences;
  if (fences.length !== 2 || first === undefined || last === undefined) return undefined;
  return lines.slice(first + 1, last).join("\n");
}
