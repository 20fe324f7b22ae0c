import type { RawRequest, WireRequest } from "../../core/ports/wire-adapter.ts";
import { asArray, asNumber, asText, fieldAt } from "../../core/transcript/read-json.ts";
import { canonicalGroup } from "./canonical.ts";
import { type Layout, readLayout, rememberLayout } from "./read-layout.ts";
import { contentItems, readMessage } from "./read-message.ts";

/** Undefined for a body that is no JSON or holds no conversation. */
export function readRequest(raw: RawRequest): WireRequest | undefined {
  try {
    const layout = readLayout(raw.body);
    return layout === undefined ? undefined : rememberLayout(describe(raw, layout), layout);
  } catch {
    // broken JSON, or arguments nested deeper than the stack
    return undefined;
  }
}

function describe(raw: RawRequest, layout: Layout): WireRequest {
  const { fields, groups } = layout;
  return {
    raw,
    modelId: asText(fields.model) ?? "",
    isStreaming: fields.stream === true,
    maxOutputTokens: asNumber(fields.max_tokens),
    systemPrompt: systemText(layout),
    tools: asArray(fields.tools),
    messages: groups.map(readMessage),
    canonical: groups.map(canonicalGroup),
  };
}

function systemText({ fields: { system }, preamble }: Layout): string {
  const blocks = [
    ...(typeof system === "string" ? [{ text: system }] : asArray(system)),
    ...preamble.flatMap(contentItems),
  ];
  return blocks.map((block) => asText(fieldAt(block, "text")) ?? "").join("\n\n");
}
