import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAT_SHAPES, chatBodies } from "../../../test/support/chat-requests.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { wellFormedBody } from "../../../test/support/well-formed-body.ts";
import { canonicalTexts, numberedLog, wireParts } from "../../../test/support/wire-parts.ts";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { applyLedger, planLedger } from "../../core/condense/ledger/plan-ledger.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, fieldAt } from "../../core/json/read-json.ts";
import { collectStandIns, isHidden, renderMessage } from "../../core/message/effective-view.ts";
import type { Block, CountTokens, Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";
import { type ModelServer, type ModelWire, startModelServer } from "../../testing/index.ts";
import { openaiChatAdapter } from "./index.ts";

const RUNS = { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) };
const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);

type Fold = (log: readonly Message[]) => readonly Message[];

const fold: fc.Arbitrary<Fold> = fc.oneof(
  fc.nat({ max: 3 }).map(
    (keepNewest): Fold =>
      (log) => {
        return clearToolResults(log, { countTokens, keepNewest, minGainTokens: 0 }).messages;
      },
  ),
  fc.constant<Fold>((log) => dedupeToolResults(log, { countTokens, minGainTokens: 0 }).messages),
  fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: 0, max: 300 })).map(
    ([from, budgetTokens]): Fold =>
      (log) => {
        const messageIndexes = [...log.keys()].slice(from, from + 3);
        return clipBlocks(log, { messageIndexes, budgetTokens, countTokens }).messages;
      },
  ),
  fc.double({ min: 0, max: 1, noNaN: true }).map(
    (share): Fold =>
      (log) => {
        return truncateConversation(log, share, "task").messages;
      },
  ),
  fc.integer({ min: 20, max: 600 }).map(
    (allowedTokens): Fold =>
      (log) => {
        return truncateToFit(log, { allowedTokens, countTokens }).messages;
      },
  ),
  fc.integer({ min: 60, max: 900 }).map(
    (budgetTokens): Fold =>
      (log) => {
        const plan = planLedger(log, { budgetTokens, countTokens });
        return plan.type === "refused" ? log : applyLedger(log, plan);
      },
  ),
  fc.integer({ min: 1, max: 4 }).map(
    (keepMessages): Fold =>
      (log) => {
        const plan = planSummary(log, { taskId: "task", keepMessages, countTokens });
        return plan.type === "refused" ? log : applyCondensation(log, plan, [summaryMessage(plan, "What was done.")]);
      },
  ),
);

function read(body: string): WireRequest {
  const request = openaiChatAdapter.readRequest({ path: "/v1/chat/completions", body });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

interface Saying {
  readonly role: Message["role"];
  readonly text: string;
  readonly others: readonly Block[];
}

/** What a host says behind a stand-in of the user's role is read as one with it. */
function joinUsers(sayings: readonly Saying[]): readonly Saying[] {
  const joined: Saying[] = [];
  for (const saying of sayings) {
    const before = joined.at(-1);
    if (saying.role !== "user" || before?.role !== "user") joined.push(saying);
    else {
      const texts = [before.text, saying.text].filter((text) => text !== "");
      joined[joined.length - 1] = {
        role: "user",
        text: texts.join("\n\n"),
        others: [...before.others, ...saying.others],
      };
    }
  }
  return joined;
}

/** What a message says, however many blocks say it. Reasoning has a field of its own on the wire, whatever stands for it. */
function sayingOf(message: Message): Saying {
  const { role, content } = renderMessage(message);
  if (typeof content === "string") return { role, text: content, others: [] };
  const isReasoning = (block: string | Block | undefined) => typeof block === "object" && block.type === "reasoning";
  const blocks = content.filter((block, index) => !isReasoning(block) && !isReasoning(message.content[index]));
  const others = blocks.filter(({ type }) => type !== "text" && type !== "message").map(withParsedInput);
  return { role, text: blocks.flatMap(textOf).join("\n\n"), others };
}

/** Arguments that are no JSON are a text; clipped, they may become JSON. */
function withParsedInput(block: Block): Block {
  const input = fieldAt(block, "input");
  return typeof input === "string" ? { ...block, input: tryParseJson(input) ?? input } : block;
}

function textOf(block: Block): readonly unknown[] {
  if (block.type === "text") return [fieldAt(block, "text")];
  return block.type === "message" ? [fieldAt(block, "message", "content")] : [];
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
});
afterAll(() => server.close());

/** Why the server refuses the request, if it does. */
async function refusalOf(wire: ModelWire, body: string): Promise<string | undefined> {
  const headers = { "content-type": "application/json", authorization: "Bearer key" };
  const response = await fetch(`${server.baseUrls[wire]}/chat/completions`, {
    method: "POST",
    headers,
    body: wellFormedBody(body),
  });
  const text = await response.text();
  return response.ok ? undefined : text;
}

describe.each(["openai", "deepseek"] as const)("a conversation with %s", (wire) => {
  test("is the same bytes where nothing is folded", () => {
    const isSame = fc.property(chatBodies(CHAT_SHAPES[wire]), (body) => {
      const request = read(body);
      expect(validateView(request.messages)).toEqual([]);
      const parts = wireParts(numberedLog(request.messages));
      expect(openaiChatAdapter.writeRequest(request, parts)).toBe(body);
      const first = { type: "folded", index: 0, folds: [] } as const;
      expect(openaiChatAdapter.writeRequest(request, [first, ...parts.slice(1)])).toBe(body);
    });
    fc.assert(isSame, RUNS);
  });

  test("keeps what is not folded, is accepted, and reads as its view, however it is folded", async () => {
    const folds = fc.array(fold, { minLength: 1, maxLength: 4 });
    const holds = fc.asyncProperty(chatBodies(CHAT_SHAPES[wire]), folds, async (body, operations) => {
      const request = read(body);
      const log = operations.reduce((folded, apply) => apply(folded), numberedLog(request.messages));
      const parts = wireParts(log);
      const written = openaiChatAdapter.writeRequest(request, parts);

      const again = read(written);
      expect(validateView(again.messages)).toEqual([]);
      const standIns = collectStandIns(log);
      const view = log.filter((message) => !isHidden(message, standIns));
      expect(joinUsers(again.messages.map(sayingOf))).toEqual(joinUsers(view.map(sayingOf)));
      const sent = canonicalTexts(again).join("");
      for (const part of parts) {
        if (part.type !== "original") continue;
        expect(sent).toContain(request.canonical(part.index));
        const alone = itemTexts(openaiChatAdapter.writeRequest(request, [part])).slice(countSystem(body));
        expect(itemTexts(written)).toEqual(expect.arrayContaining(alone));
      }
      expect(withoutItems(written)).toEqual(withoutItems(body));
      expect(openaiChatAdapter.writeRequest(request, parts)).toBe(written);
      expect(await refusalOf(wire, written)).toBeUndefined();
    });
    await fc.assert(holds, RUNS);
  });
});

function itemTexts(body: string): readonly string[] {
  const start = sliceFields(body)?.get("messages")?.start ?? 0;
  return (sliceItems(body, start) ?? []).map((slice) => body.slice(slice.start, slice.end));
}

/** How many items stand before the conversation. */
function countSystem(body: string): number {
  return itemTexts(body).findIndex((item) => fieldAt(tryParseJson(item), "role") !== "system");
}

function withoutItems(body: string): object {
  return { ...asRecord(tryParseJson(body)), messages: [] };
}

test("whatever an item is, it is read without a fault, and comes back as the same bytes", () => {
  const role = fc.constantFrom("user", "assistant", "tool", "system", "developer", "critic", 7, null);
  const part = fc.record(
    {
      type: fc.constantFrom("text", "image", "image_url", "reasoning", "thinking", "refusal", 3),
      text: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const item = fc.record(
    {
      role,
      content: fc.oneof(fc.jsonValue(), fc.array(part), fc.string({ unit: "binary" })),
      tool_calls: fc.oneof(fc.array(fc.record({ id: fc.string(), type: fc.jsonValue() })), fc.jsonValue()),
      tool_call_id: fc.string(),
      reasoning_content: fc.jsonValue(),
      reasoning_details: fc.jsonValue(),
      unknown: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  let readCount = 0;
  const holds = fc.property(fc.array(item, { maxLength: 4 }), (items) => {
    const body = JSON.stringify({ messages: items });
    const request = openaiChatAdapter.readRequest({ path: "/v1/chat/completions", body });
    if (request === undefined) return;
    readCount += 1;
    validateView(request.messages);
    expect(canonicalTexts(request)).not.toContain("");
    expect(openaiChatAdapter.writeRequest(request, wireParts(numberedLog(request.messages)))).toBe(body);
    const clipped = clipBlocks(request.messages, { messageIndexes: [0], budgetTokens: 0, countTokens });
    expect(() =>
      JSON.parse(openaiChatAdapter.writeRequest(request, wireParts(numberedLog(clipped.messages)))),
    ).not.toThrow();
  });
  fc.assert(holds, RUNS);
  expect(readCount).toBeGreaterThan(RUNS.numRuns / 10);
});
