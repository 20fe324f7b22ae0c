import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkResponsesInput } from "../../../test/support/check-responses-input.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { readBody, responsesBody, responsesInput } from "../../../test/support/responses-requests.ts";
import { canonicalTexts, numberedLog, wireParts } from "../../../test/support/wire-parts.ts";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import { sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { asArray, asRecord, asText } from "../../core/json/read-json.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { hostRole } from "../../core/standing/read-standing.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { foldToFit } from "../../core/truncate/fold-to-fit.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import { openaiResponsesAdapter } from "./index.ts";

const countTokens = (content: Content) => Math.ceil(serialize(content).length / 4);
const COUNTING = { taskId: "task", countTokens };

type Fold = (messages: readonly Message[]) => readonly Message[];

const fold = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map(
    (share): Fold =>
      (messages) =>
        truncateConversation(messages, share, "task").messages,
  ),
  fc.integer({ min: 0, max: 5 }).map(
    (keepMessages): Fold =>
      (messages) => {
        const plan = planSummary(messages, { ...COUNTING, keepMessages });
        return plan.type === "refused"
          ? messages
          : applyCondensation(messages, plan, [summaryMessage(plan, "SUMMARY")]);
      },
  ),
  fc.constant<Fold>((messages) => {
    const plan = planSnapshot(messages, COUNTING);
    return plan.type === "refused" ? messages : applyCondensation(messages, plan, snapshotMessages(plan, "SNAPSHOT"));
  }),
  fc.integer({ min: 0, max: 3 }).map(
    (keepNewest): Fold =>
      (messages) =>
        clearToolResults(messages, { ...COUNTING, keepNewest, minGainTokens: 0 }).messages,
  ),
  fc.constant<Fold>((messages) => dedupeToolResults(messages, { ...COUNTING, minGainTokens: 0 }).messages),
  fc.integer({ min: 100, max: 4_000 }).map(
    (allowedTokens): Fold =>
      (messages) =>
        foldToFit(messages, { ...COUNTING, allowedTokens }).messages,
  ),
  fc.integer({ min: 0, max: 2_000 }).map(
    (budgetTokens): Fold =>
      (messages) =>
        clipBlocks(messages, { ...COUNTING, budgetTokens, messageIndexes: [...messages.keys()] }).messages,
  ),
);

const cases = fc.record({
  input: responsesInput,
  indent: fc.constantFrom(undefined, 2),
  folds: fc.array(fold, { minLength: 1, maxLength: 3 }),
});

function itemTexts(body: string): readonly string[] {
  const slices = sliceItems(body, sliceFields(body)?.get("input")?.start) ?? [];
  return slices.map(({ start, end }) => body.slice(start, end));
}

describe("any conversation", () => {
  test("of which nothing is folded goes on as the same bytes", () => {
    fc.assert(
      fc.property(cases, ({ input, indent }) => {
        const body = responsesBody(input, { prompt_cache_key: "key" }, indent);
        expect(checkResponsesInput(body, input)).toEqual([]);
        const request = readBody(body);
        expect(validateView(request.messages)).toEqual([]);
        expect(canonicalTexts(request)).not.toContain("");
        expect(openaiResponsesAdapter.writeRequest(request, wireParts(numberedLog(request.messages)))).toBe(body);
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
    );
  });

  test("of which some messages are left out keeps all bytes of the others", () => {
    fc.assert(
      fc.property(cases, ({ input, indent }) => {
        const request = readBody(responsesBody(input, {}, indent));
        const parts = wireParts(numberedLog(request.messages)).filter((_, index) => index % 3 !== 1);
        const written = openaiResponsesAdapter.writeRequest(request, parts);
        const originals = itemTexts(request.raw.body);
        let position = 0;
        for (const item of itemTexts(written)) {
          position = originals.indexOf(item, position) + 1;
          expect(position).toBeGreaterThan(0);
        }
        expect({ ...JSON.parse(written), input: [] }).toEqual({ ...JSON.parse(request.raw.body), input: [] });
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
    );
  });

  test("folded in any way is accepted, and read again it is the view", () => {
    fc.assert(
      fc.property(cases, ({ input, indent, folds }) => {
        const request = readBody(responsesBody(input, {}, indent));
        const log = folds.reduce<readonly Message[]>(
          (messages, apply) => apply(messages),
          numberedLog(request.messages),
        );
        const written = openaiResponsesAdapter.writeRequest(request, wireParts(log));
        expect(checkResponsesInput(written, input)).toEqual([]);
        const { head, said: view } = splitHead(effectiveView(log));
        const { messages: again, systemPrompt } = readBody(written);
        // After a developer's words alone, the assistant may come first: the wire takes it.
        const mayBegin = head.length > 0 ? ["first-turn-not-user"] : [];
        expect(validateView(again).filter(({ code }) => !mayBegin.includes(code))).toEqual([]);
        expect(systemPrompt).toBe([request.systemPrompt, ...head].filter((text) => text !== "").join("\n\n"));
        if (view.some(carriesCalls)) expect(pairsIn(again)).toEqual(pairsIn(view));
        else expect(turnsOf(again)).toEqual(turnsOf(view));
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
    );
  });
});

/** What a developer says before anyone else does is a part of the system prompt where it is read again. */
function splitHead(view: readonly Message[]): { readonly head: readonly string[]; readonly said: readonly Message[] } {
  const [first, ...others] = view;
  const blocks = typeof first?.content === "string" ? [] : (first?.content ?? []);
  const start = blocks.findIndex((block) => hostRole(block) === undefined);
  if (first === undefined || blocks.length === 0 || start === 0) return { head: [], said: view };
  const head = blocks.slice(0, start < 0 ? blocks.length : start).flatMap(sayingOf);
  if (start > 0) return { head, said: [{ ...first, content: blocks.slice(start) }, ...others] };
  const rest = splitHead(others);
  return { head: [...head, ...rest.head], said: rest.said };
}

/** With a carried call comes what was said between it and its reasoning. */
function carriesCalls({ isSummary, content }: Message): boolean {
  return isSummary === true && typeof content !== "string" && content.some(({ type }) => type === "tool_use");
}

function pairsIn(messages: readonly Message[]): readonly string[] {
  return turnsOf(messages).flatMap(({ said }) => said.filter((text) => text.startsWith("tool_")));
}

/** What each side says in turn, without the reasoning, which stays as it is on the wire. */
function turnsOf(messages: readonly Message[]): readonly { readonly role: string; readonly said: readonly string[] }[] {
  const turns: { readonly role: string; readonly said: string[] }[] = [];
  for (const { role, content } of messages) {
    const said = (typeof content === "string" ? [{ type: "text", text: content }] : content).flatMap(sayingOf);
    if (said.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.said.push(...said);
    else turns.push({ role, said });
  }
  return turns;
}

function sayingOf(block: Block): readonly string[] {
  const fields = asRecord({ ...block }) ?? {};
  switch (block.type) {
    case "reasoning":
      return [];
    case "text":
      return asText(fields.text)?.startsWith("[reasoning: ") ? [] : [asText(fields.text) ?? ""];
    case "message":
      return asArray(fields.content).map((part) => asText(asRecord(part)?.text) ?? "");
    case "tool_use":
      return [`tool_use ${fields.id} ${serialize(fields.input)}`];
    case "tool_result":
      return [`tool_result ${fields.tool_use_id} ${serialize(fields.content)}`];
    default:
      return [serialize(block)];
  }
}
