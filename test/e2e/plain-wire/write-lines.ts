import {
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type PlacedBlock,
} from "../../../src/adapters/splice/index.ts";
import { asText, fieldAt } from "../../../src/core/json/read-json.ts";
import { renderMessage } from "../../../src/core/message/effective-view.ts";
import type { Block, Message } from "../../../src/core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../../src/core/message/tool-pairs.ts";
import type { LinePlace } from "./read-lines.ts";

/** Only what the fold hides is written anew: a text, a call's input, a result. */
export function editBlock(
  { place }: PlacedBlock<LinePlace>,
  standIn: Block,
  { slices, item }: EditContext<Grouping>,
): readonly Edit[] {
  switch (place.type) {
    case "says":
      return editOf(slices.field(item, "says"), JSON.stringify(textOf(standIn)));
    case "ask": {
      const ask = slices.entry(slices.field(item, "asks"), place.index);
      return isToolUse(standIn) ? editOf(slices.field(ask, "input"), JSON.stringify(standIn.input)) : [];
    }
    case "answer": {
      const answer = slices.entry(slices.field(item, "answers"), place.index);
      return isToolResult(standIn) ? editOf(slices.field(answer, "gives"), JSON.stringify(resultText(standIn))) : [];
    }
  }
}

/** A summary or a marker as a line. */
export function writeStandIn(message: Message): readonly string[] {
  const { role, content } = renderMessage(message);
  const blocks = contentBlocks(content);
  const says =
    typeof content === "string"
      ? content
      : blocks
          .filter(({ type }) => type === "text")
          .map(textOf)
          .join("\n\n");
  const asks = blocks.filter(isToolUse).map(({ id, name, input }) => ({ key: id, tool: name, input }));
  const from = role === "user" ? "human" : "machine";
  return [JSON.stringify({ from, says, ...(asks.length > 0 && { asks }) })];
}

function resultText({ content }: Block & { readonly content?: unknown }): string {
  return typeof content === "string"
    ? content
    : contentBlocks(Array.isArray(content) ? content : "")
        .map(textOf)
        .join("\n");
}

function textOf(block: Block): string {
  return asText(fieldAt(block, "text")) ?? JSON.stringify(block);
}
