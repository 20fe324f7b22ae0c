import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { wellFormedBody } from "../../../test/support/well-formed-body.ts";
import { canonicalTexts, numberedLog, wireParts } from "../../../test/support/wire-parts.ts";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { type Block, type CountTokens, isKnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { geminiAdapter } from "./index.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }).map((value) => `·${value}·`),
  fc
    .constantFrom("line of a log\n", '{"a":"\\u0000"}', "\ud800 漢字 😀 ")
    .chain((unit) => fc.integer({ min: 1, max: 80 }).map((times) => `${unit.repeat(times)}.`)),
);
const image = fc
  .integer({ min: 1, max: 500 })
  .map((length) => ({ inlineData: { mimeType: "image/png", data: "A".repeat(length * 4) } }));
const said = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: text.map((value) => ({ text: value })) },
    { weight: 1, arbitrary: image },
    { weight: 1, arbitrary: text.map((value) => ({ fileData: { fileUri: value, mimeType: "text/plain" } })) },
  ),
  { minLength: 1, maxLength: 3 },
);
const lead = fc.array(
  fc.oneof(
    text.map((value) => ({ text: value, thought: true })),
    text.map((value) => ({ text: value, thoughtSignature: "dGV4dA==" })),
    text.map((value) => ({ executableCode: { language: "PYTHON", code: value } })),
    fc.constant({ text: "\n" }),
  ),
  { maxLength: 2 },
);
const response = fc.oneof(
  { weight: 3, arbitrary: text.map((output) => ({ response: { output } })) },
  { weight: 1, arbitrary: text.map((error) => ({ response: { error } })) },
  { weight: 1, arbitrary: text.map((content) => ({ response: { name: "read_file", content } })) },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
      .map((value) => ({ response: { value } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(text, fc.array(image, { minLength: 1, maxLength: 2 }))
      .map(([output, parts]) => ({ response: { output }, parts })),
  },
);
const step = fc.record({
  type: fc.constant("step" as const),
  lead,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("read_file", "run_shell_command"),
      args: fc.oneof(
        fc.constant({ path: "a.ts" }),
        text.map((content) => ({ path: "b.ts", content })),
      ),
      response,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  after: fc.option(said, { nil: undefined, freq: 4 }),
});
const exchange = fc.record({ type: fc.constant("exchange" as const), lead, reply: text, next: said });

const conversation = fc.record({
  opening: said,
  turns: fc.array(fc.oneof({ weight: 3, arbitrary: step }, { weight: 1, arbitrary: exchange }), { maxLength: 10 }),
  /** Which halves of a pair have an id. */
  ids: fc.constantFrom("both", "none", "responses"),
  /** Which steps are signed: from version 3 on those of the current turn must be. */
  signed: fc.constantFrom("all", "current", "none"),
  /** Of every message, whether a person marked it. */
  important: fc.array(fc.boolean(), { maxLength: 12 }),
  indent: fc.constantFrom(0, 0, 2),
});
type Conversation = typeof conversation extends fc.Arbitrary<infer Value> ? Value : never;

/** What an agent would send. */
function buildRequest({ opening, turns, ids, signed, indent }: Conversation) {
  const question = turns.findLastIndex((each) => each.type === "exchange" || each.after !== undefined);
  const contents: object[] = [{ role: "user", parts: opening }];
  for (const [turn, each] of turns.entries()) {
    if (each.type === "exchange") {
      contents.push({ role: "model", parts: [...each.lead, { text: each.reply }] }, { role: "user", parts: each.next });
      continue;
    }
    const calls = each.calls.map(({ name, args }, index) => ({
      functionCall: { ...(ids === "both" && { id: `c${turn}-${index}` }), name, args },
      ...(index === 0 &&
        (signed === "all" || (signed === "current" && turn > question)) && { thoughtSignature: `c2ln${turn}` }),
    }));
    const answers = each.calls.map(({ name, response }, index) => ({
      functionResponse: { ...(ids !== "none" && { id: `c${turn}-${index}` }), name, ...response },
    }));
    contents.push({ parts: [...each.lead, ...calls], role: "model" }, { role: "user", parts: answers });
    if (each.after !== undefined) contents.push({ role: "user", parts: each.after });
  }
  const body = JSON.stringify({ systemInstruction: { parts: [{ text: "Help." }] }, contents, tools: [] }, null, indent);
  const path = `/v1beta/models/${signed === "none" ? "gemini-2.5-pro" : "gemini-3-pro"}:generateContent`;
  const request = geminiAdapter.readRequest({ path, body });
  if (request === undefined) throw new Error("The request was not read.");
  return { request, contents };
}

const operation = fc.record({
  type: fc.constantFrom("clear", "dedupe", "clip", "truncate", "summary", "snapshot"),
  size: fc.integer({ min: 0, max: 20 }),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function fold(log: readonly Message[], { type, size }: Operation): readonly Message[] {
  const options = { countTokens, taskId: `${type}-${size}` };
  switch (type) {
    case "clear":
      return clearToolResults(log, { ...options, keepNewest: size % 4, minGainTokens: 0 }).messages;
    case "dedupe":
      return dedupeToolResults(log, { ...options, minTokens: 0, minGainTokens: 0 }).messages;
    case "clip":
      return clipBlocks(log, { ...options, messageIndexes: [size % log.length], budgetTokens: 20 * size }).messages;
    case "truncate":
      return truncateToFit(log, { ...options, allowedTokens: 300 + 50 * size }).messages;
    case "summary": {
      const plan = planSummary(log, { ...options, keepMessages: size % 5 });
      return plan.type === "refused" ? log : applyCondensation(log, plan, [summaryMessage(plan, "SUMMARY")]);
    }
    case "snapshot": {
      const plan = planSnapshot(log, options);
      return plan.type === "refused" ? log : applyCondensation(log, plan, snapshotMessages(plan, "SNAPSHOT"));
    }
  }
}

/** What a view says, without what Gemini has no place for: ids of ours, reasoning that is not Gemini's, texts of a result apart. */
function gist(messages: readonly Message[]) {
  const numbers = new Map<string, number>();
  const all = messages.map(({ role, content }) => ({
    role,
    blocks: typeof content === "string" ? [{ type: "text", text: content }] : content.flatMap(gistOfBlock),
  }));
  return all.filter(({ blocks }) => !JSON.stringify(blocks).includes("Go on from there."));

  function gistOfBlock(block: Block): readonly unknown[] {
    if (!isKnownBlock(block)) return [block];
    if (block.type === "reasoning") return "thoughtSignature" in block || "thought" in block ? [block] : [];
    if (block.type === "tool_use") {
      numbers.set(block.id, numbers.size);
      return [{ ...block, id: numbers.get(block.id) }];
    }
    if (block.type !== "tool_result") return [block];
    const { content = "", tool_use_id, ...rest } = block;
    const items = contentBlocks(content);
    const texts = items.flatMap((item) => (isKnownBlock(item) && item.type === "text" ? [item.text] : []));
    const media = items.filter((item) => item.type !== "text");
    const answered = typeof content === "string" ? content : texts.join("\n");
    return [{ ...rest, id: numbers.get(tool_use_id), text: answered, media }];
  }
}

test("any conversation, sent on whole or in part, keeps every byte of every message", () => {
  fc.assert(
    fc.property(conversation, fc.nat(), (plan, seed) => {
      const { request, contents } = buildRequest(plan);
      const { body } = request.raw;
      const all = request.messages.map((_, index) => ({ type: "original", index }) as const);
      expect(geminiAdapter.writeRequest(request, all)).toBe(body);
      const some = all.filter(({ index }) => index === 0 || ((seed >> (index % 30)) & 1) === 1);
      const written = geminiAdapter.writeRequest(request, some);
      const sent: readonly object[] = JSON.parse(written).contents;
      const own = sent.filter((content) => !JSON.stringify(content).includes("Go on from there."));
      const expected = some.map(({ index }) => contents[index] ?? {});
      expect(own.map((content) => JSON.stringify(content))).toEqual(expected.map((content) => JSON.stringify(content)));
      if (plan.indent === 0) for (const content of expected) expect(written).toContain(JSON.stringify(content));
      const { contents: _, ...rest } = JSON.parse(written);
      expect(rest).toEqual({ systemInstruction: { parts: [{ text: "Help." }] }, tools: [] });
    }),
    { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 8) },
  );
});

const FIELDS =
  "role parts text thought thoughtSignature functionCall function_response functionResponse id name args response inlineData mimeType data type __proto__";
const { hostile } = fc.letrec((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    fc.constantFrom<unknown>(null, 0, "", " ", "model", "user", "text", true),
    fc.array(tie("hostile"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS.split(" ")), tie("hostile"), { maxKeys: 4 }),
  ),
}));
const hostileTurn = fc.record({ role: fc.constantFrom<unknown>("user", "model", "tool", 5), parts: fc.array(hostile) });

test("any JSON is left alone, or read as messages that can be folded and written back", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(hostile, hostileTurn), { maxLength: 5 }), (contents) => {
      const path = "/v1beta/models/gemini-3-pro:generateContent";
      const request = geminiAdapter.readRequest({ path, body: JSON.stringify({ contents }) });
      if (request === undefined) return;
      expect(() => validateView(request.messages)).not.toThrow();
      expect(canonicalTexts(request)).not.toContain("");
      const clipped = request.messages.map((_, messageIndex) => messageIndex);
      const log = clipBlocks(numberedLog(request.messages), { messageIndexes: clipped, budgetTokens: 0, countTokens });
      const written = geminiAdapter.writeRequest(request, wireParts(log.messages));
      const sent: readonly unknown[] = JSON.parse(written).contents;
      expect(sent.length).toBeGreaterThanOrEqual(contents.length);
    }),
    PROPERTY_RUNS,
  );
});

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
});
afterAll(() => server.close());

test("any conversation, folded in any way, is accepted, and reads as its view", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, fc.array(operation, { minLength: 1, maxLength: 4 }), async (plan, operations) => {
      const { request } = buildRequest(plan);
      expect(validateView(request.messages)).toEqual([]);
      const marked = numberedLog(request.messages).map((message, index) =>
        plan.important[index] === true ? { ...message, important: true } : message,
      );
      const log = operations.reduce(fold, marked);
      const body = geminiAdapter.writeRequest(request, wireParts(log));
      const response = await fetch(server.url + request.raw.path, { method: "POST", body: wellFormedBody(body) });
      expect(`${response.status} ${response.ok ? await response.text().then(() => "") : await response.text()}`).toBe(
        "200 ",
      );
      const again = geminiAdapter.readRequest({ ...request.raw, body });
      expect(validateView(again?.messages ?? [])).toEqual([]);
      expect(gist(again?.messages ?? [])).toEqual(gist(effectiveView(log)));
    }),
    { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 8) },
  );
});
