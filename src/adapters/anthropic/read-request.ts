import { entryAt } from "../../core/json/entry-at.ts";
import type { Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool, RawRequest, WireRequest } from "../../core/ports/wire-adapter.ts";
import { asArray, asName, asNumber, asText, fieldAt, type JsonRecord } from "../../core/transcript/read-json.ts";
import { agentSessionOf } from "./agent-session.ts";
import { canonicalGroup } from "./canonical.ts";
import { type Layout, readLayout, rememberLayout } from "./read-layout.ts";
import { contentItems, readMessage } from "./read-message.ts";

/** Not what stands beside them, such as batches. */
const PATH = /\/messages(\/count_tokens)?\/?$/;

/** Undefined for another path, and for a body that is no JSON or holds no conversation. */
export function readRequest(raw: RawRequest): WireRequest | undefined {
  const path = PATH.exec(raw.path);
  if (path === null) return undefined;
  try {
    const layout = readLayout(raw);
    if (layout === undefined) return undefined;
    const operation = path[1] === undefined ? "generate" : "count-tokens";
    return rememberLayout({ raw, operation, ...describe(layout) }, layout);
  } catch {
    // broken JSON
    return undefined;
  }
}

function describe(layout: Layout): Omit<WireRequest, "raw" | "operation"> {
  const { fields, groups } = layout;
  const messages = groups.map(readMessage);
  return {
    modelId: asText(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_tokens),
    leastOutputTokens: (asNumber(fieldAt(fields, "thinking", "budget_tokens")) ?? 0) + 1,
    systemPrompt: systemText(layout),
    tools: asArray(fields.tools),
    onlyTool: onlyToolOf(fields),
    messages,
    canonical: (index) => canonicalGroup(entryAt(groups, index)),
    items(index) {
      const { main, attached } = entryAt(groups, index);
      return attached.length === 0 ? [main.value] : [main, ...attached].map(({ value }) => value);
    },
    callIds: messages.map(callIdsOf),
    agentSession: agentSessionOf(fields),
  };
}

function onlyToolOf(fields: JsonRecord): OnlyTool | undefined {
  const [tool, ...others] = asArray(fields.tools);
  const name = asName(fieldAt(tool, "name"));
  const choice = fieldAt(fields, "tool_choice", "type");
  return name === undefined || others.length > 0
    ? undefined
    : { name, isForced: choice === "any" || choice === "tool" };
}

function callIdsOf({ content }: Message): readonly string[] {
  if (typeof content === "string") return [];
  const ids = content.filter(isToolUse).map(({ id }) => id);
  return ids.filter((id) => id !== "");
}

function systemText({ fields: { system }, preamble }: Layout): string {
  const blocks = [
    ...(typeof system === "string" ? [{ text: system }] : asArray(system)),
    ...preamble.flatMap(contentItems),
  ];
  return blocks.map((block) => asText(fieldAt(block, "text")) ?? "").join("\n\n");
}
