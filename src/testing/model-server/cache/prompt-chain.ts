import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { PromptBlock } from "../prompt.ts";

/** The prompt up to the end of one block. */
export interface PromptPrefix {
  /** Equal for prompts with the same meaning up to here, whatever their form and breakpoints. */
  readonly hash: string;
  readonly tokens: number;
  readonly isMarked: boolean;
}

/** One prefix per block. Each hash covers the one before it, so that equal hashes mean equal prefixes. */
export function promptChain(blocks: readonly PromptBlock[]): readonly PromptPrefix[] {
  let hash = "";
  let tokens = 0;
  return blocks.map((block) => {
    hash = digest(hash + identityOf(block));
    tokens += block.tokens;
    return { hash, tokens, isMarked: block.isMarked };
  });
}

/** A hash of the user's first message, by which a conversation is recognised; undefined where there is none. */
export function firstUserMessage(blocks: readonly PromptBlock[]): string | undefined {
  const start = blocks.findIndex(({ role }) => role === "user");
  if (start === -1) return undefined;
  const next = blocks.findIndex(({ opensMessage }, index) => index > start && opensMessage);
  return digest(
    blocks
      .slice(start, next === -1 ? undefined : next)
      .map(identityOf)
      .join(),
  );
}

// Claude Code's attribution line changes from request to request; Anthropic removes it before the model reads the prompt.
const ATTRIBUTION = /^x-anthropic-billing-header:[^\n]*/;

function identityOf({ role, opensMessage, content }: PromptBlock): string {
  const text = isJsonObject(content) ? content.text : content;
  const said = role === "system" && typeof text === "string" ? text.replace(ATTRIBUTION, "") : content;
  return JSON.stringify([role, opensMessage, plain(said)]);
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** A canonical form of content: the same for a text as a string and as a part, whatever the order of a part's fields. */
function plain(content: unknown): unknown {
  if (typeof content === "string") return [["text", content]];
  if (!isJsonObject(content)) return content;
  const { type, ...fields } = content;
  const named: JsonObject = TEXT_TYPES.has(type) ? fields : content;
  const entries = Object.entries(named).map(([key, value]) => [key, key === "content" ? plainContent(value) : value]);
  return entries.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}

function plainContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(plain) : [plain(content)];
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
