import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { WireOperation } from "../../core/ports/wire-adapter.ts";
import type { ItemList } from "../splice/index.ts";

/** What the path of a request says: Gemini has the model and the verb in it. */
export interface RequestTarget {
  readonly modelId: string;
  readonly isStreaming: boolean;
}

const PATH = /(?:^|\/)([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export function readTarget(path: string): RequestTarget | undefined {
  const [, model, verb] = PATH.exec(path) ?? [];
  return model === undefined ? undefined : { modelId: decoded(model), isStreaming: verb === "streamGenerateContent" };
}

export function operationOf(path: string): WireOperation | undefined {
  const [, , verb] = PATH.exec(path) ?? [];
  if (verb === undefined) return undefined;
  return verb === "countTokens" ? "count-tokens" : "generate";
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const OWN = ["contents"];

/** A count may wrap the request that it is about. */
export const LIST_PATHS = [OWN, ["generateContentRequest", "contents"], ["generate_content_request", "contents"]];

/** Undefined also for a count that has its contents twice: it is not said which are counted. */
export function findContents(body: JsonRecord, operation: WireOperation): ItemList | undefined {
  const paths = operation === "count-tokens" ? LIST_PATHS : [OWN];
  const found = paths.flatMap((path): readonly ItemList[] => {
    const fields = path.length === 1 ? body : body[path[0] ?? ""];
    return isRecord(fields) && Array.isArray(fields.contents) ? [{ fields, path, items: fields.contents }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}
