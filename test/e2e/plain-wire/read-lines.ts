import type {
  Grouping,
  ItemGroup,
  ItemList,
  PlacedBlock,
  WireConversation,
} from "../../../src/adapters/splice/index.ts";
import { asArray, asRecord, asText, isRecord } from "../../../src/core/json/read-json.ts";
import type { Block, Content } from "../../../src/core/message/message.ts";

/** Where in its line a block stands. */
export type LinePlace =
  | { readonly type: "says" }
  | { readonly type: "ask"; readonly index: number }
  | { readonly type: "answer"; readonly index: number };

interface LineBlock {
  readonly block: Block;
  readonly place: LinePlace;
}

/** Every line is one message: of a human, of the machine, or of tools. */
export function groupLines({ items }: ItemList): Grouping | undefined {
  if (!items.every(isLine)) return undefined;
  const groups = items.map((line, index): ItemGroup => {
    const role = asRecord(line)?.from === "machine" ? "assistant" : "user";
    return { message: { role, content: contentOf(readLine(line)) }, items: [index] };
  });
  return { headCount: 0, groups };
}

/** The blocks of a line, with their places. */
export function placeBlocks(
  { items: indexes }: ItemGroup,
  { items }: WireConversation,
): readonly PlacedBlock<LinePlace>[] {
  return indexes.flatMap((item) => readLine(items[item]).map((line) => ({ ...line, item })));
}

function isLine(line: unknown): boolean {
  return isRecord(line) && ["human", "machine", "tools"].includes(String(line.from));
}

function readLine(line: unknown): readonly LineBlock[] {
  const { says, asks, answers } = asRecord(line) ?? {};
  const text = asText(says);
  return [
    ...(text === undefined ? [] : [{ block: { type: "text", text }, place: { type: "says" } } as const]),
    ...asArray(asks).map((ask, index): LineBlock => {
      const { key, tool, input } = asRecord(ask) ?? {};
      return { block: { type: "tool_use", id: String(key), name: String(tool), input }, place: { type: "ask", index } };
    }),
    ...asArray(answers).map((answer, index): LineBlock => {
      const { key, gives } = asRecord(answer) ?? {};
      const block: Block = { type: "tool_result", tool_use_id: String(key), content: String(gives) };
      return { block, place: { type: "answer", index } };
    }),
  ];
}

function contentOf(lines: readonly LineBlock[]): Content {
  return lines.map(({ block }) => block);
}
