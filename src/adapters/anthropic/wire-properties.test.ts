import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversation, type Item, manner, render } from "../../../test/support/anthropic-requests.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { wellFormedBody } from "../../../test/support/well-formed-body.ts";
import { canonicalTexts, numberedLog, wireParts } from "../../../test/support/wire-parts.ts";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { compact } from "../../core/condense/ledger/compact.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Block, CountTokens, Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { anthropicAdapter } from "./index.ts";

function read(body: string): WireRequest {
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body });
  if (request === undefined) throw new Error("no conversation");
  return request;
}

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);
const OPTIONS = { countTokens, taskId: "task" };
const OPERATIONS = ["truncate", "clear", "dedupe", "clip", "summary", "snapshot", "compact"] as const;
const operation = fc.record({
  kind: fc.constantFrom(...OPERATIONS),
  share: fc.double({ min: 0.05, max: 0.9, noNaN: true }),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function apply(messages: readonly Message[], { kind, share }: Operation): readonly Message[] {
  const total = effectiveView(messages).reduce((sum, { content }) => sum + countTokens(content), 0);
  switch (kind) {
    case "truncate":
      return truncateConversation(messages, share, "task").messages;
    case "clear":
      return clearToolResults(messages, { ...OPTIONS, keepNewest: Math.round(share * 4), minGainTokens: 0 }).messages;
    case "dedupe":
      return dedupeToolResults(messages, { ...OPTIONS, minTokens: 0, minGainTokens: 0 }).messages;
    case "clip":
      return clipBlocks(messages, {
        ...OPTIONS,
        messageIndexes: [...messages.keys()].filter((index) => messages[index]?.isTruncationMarker !== true),
        budgetTokens: share * total,
      }).messages;
    case "summary": {
      const plan = planSummary(messages, { ...OPTIONS, keepMessages: Math.round(share * 5) });
      return plan.type === "refused" ? messages : applyCondensation(messages, plan, [summaryMessage(plan, "SUMMARY")]);
    }
    case "snapshot": {
      const plan = planSnapshot(messages, OPTIONS);
      return plan.type === "refused" ? messages : applyCondensation(messages, plan, snapshotMessages(plan, "SNAPSHOT"));
    }
    case "compact":
      return compact(messages, share * total, OPTIONS).messages;
  }
}

/** What the view says, as this wire can say it. */
function said(messages: readonly Message[]): unknown {
  return messages
    .filter(({ content }) => content !== "[Noted.]" && content !== "[The conversation goes on here.]")
    .map(({ role, content }) => ({
      role,
      content: (typeof content === "string" ? [{ type: "text", text: content }] : content).flatMap(spokenBlock),
    }));
}

function spokenBlock(block: Block): readonly unknown[] {
  const { cache_control: _, ...fields }: { readonly [field: string]: unknown } = { ...block };
  const isSigned = "signature" in fields || "redactedData" in fields;
  if (block.type === "reasoning" && !isSigned) return [];
  return [Array.isArray(fields.content) ? { ...fields, content: fields.content.flatMap(spokenBlock) } : fields];
}

/** The items of the conversation as they stand in a body. */
function itemsOf(body: string): readonly string[] {
  const list = sliceFields(body)?.get("messages");
  return (sliceItems(body, list?.start) ?? []).map(({ start, end }) => body.slice(start, end));
}

const marksIn = (body: string) => body.match(/"cache_control"/g)?.length ?? 0;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
});
afterAll(() => server.close());

async function refusalOf(body: string): Promise<unknown> {
  const headers = { "anthropic-version": "2023-06-01" };
  const response = await fetch(`${server.url}/v1/messages/count_tokens`, {
    method: "POST",
    headers,
    body: wellFormedBody(body),
  });
  const reply: unknown = await response.json();
  return response.status === 200 ? undefined : reply;
}

describe("any conversation", () => {
  test("is sent as the same bytes where nothing is folded, and its messages stay so in a shorter one", () => {
    fc.assert(
      fc.property(conversation, manner, (wire, how) => {
        const body = render(wire, how, false);
        const request = read(body);
        const parts = wireParts(numberedLog(request.messages));
        expect(anthropicAdapter.writeRequest(request, parts)).toBe(body);
        const shorter = anthropicAdapter.writeRequest(request, parts.slice(0, -1));
        const items = itemsOf(shorter);
        expect(itemsOf(body).slice(0, items.length)).toEqual(items);
        const [whole, less] = [JSON.parse(body), JSON.parse(shorter)];
        expect({ ...less, messages: 0 }).toEqual({ ...whole, messages: 0 });
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
    );
  });

  test("is recognised when it is sent again in another manner", () => {
    fc.assert(
      fc.property(conversation, manner, manner, (items, one, other) => {
        const again = read(render(items, other, true));
        expect(canonicalTexts(read(render(items, one, false)))).toEqual(canonicalTexts(again));
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
    );
  });

  const cases = fc.record({
    items: conversation,
    how: manner,
    next: manner,
    hasBudget: fc.boolean(),
    operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
  });

  test("folded in any way, is accepted, says what the view says, and is replayed when the client's marks move", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ items, how, next, hasBudget, operations }) => {
        const body = render(items, how, hasBudget);
        expect(await refusalOf(body)).toBeUndefined();
        const request = read(body);
        const log = operations.reduce(apply, numberedLog(request.messages));
        const view = effectiveView(log);
        const written = anthropicAdapter.writeRequest(request, wireParts(log));
        const again = read(written);
        expect(await refusalOf(written)).toBeUndefined();
        expect(validateView(again.messages)).toEqual([]);
        expect(marksIn(written)).toBeLessThanOrEqual(marksIn(body));
        if (!hasBudget) expect(said(again.messages)).toEqual(said(view));

        const later = render(items, next, hasBudget);
        const replayed = anthropicAdapter.writeRequest(read(later), wireParts(log));
        expect(canonicalTexts(read(replayed))).toEqual(canonicalTexts(again));
        expect(marksIn(replayed)).toBeLessThanOrEqual(marksIn(later));
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 20) },
    );
  });

  test("once folded, is still: what was sent stays the beginning of what is sent next", () => {
    fc.assert(
      fc.property(cases, ({ items, how, hasBudget, operations }) => {
        const request = read(render(items, how, hasBudget));
        const log = operations.reduce(apply, numberedLog(request.messages));
        const reply: Item = { role: "assistant", content: [{ type: "text", text: "Done." }] };
        const question: Item = { role: "user", content: [{ type: "text", text: "And now?" }] };
        const isReplied = request.messages.at(-1)?.role === "assistant";
        const longer = read(render([...items, ...(isReplied ? [] : [reply]), question], how, hasBudget));
        const newer = numberedLog(longer.messages).slice(request.messages.length);
        const before = itemsOf(anthropicAdapter.writeRequest(request, wireParts(log)));
        const after = itemsOf(anthropicAdapter.writeRequest(longer, wireParts([...log, ...newer])));
        expect(after.slice(0, before.length)).toEqual(before);
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 10) },
    );
  });
});
