import { describe, expect, test } from "vitest";
import { numberedLog, wireParts } from "../../../test/support/wire-parts.ts";
import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { geminiAdapter } from "./index.ts";

const PATH = "/v1beta/models/gemini-3-pro:generateContent";
const IMAGE = { inlineData: { mimeType: "image/png", data: "AAAA" } };
const LONG = "word ".repeat(200);

/** One step of an agent, as the parts of its two turns. */
const step = (id: string, output = LONG) => [
  {
    parts: [
      { text: "Let me see.", thought: true },
      { functionCall: { name: "read_file", args: { path: `${id}.ts` }, id }, thoughtSignature: `sig-${id}` },
    ],
    role: "model",
  },
  {
    role: "user",
    parts: [{ functionResponse: { id, name: "read_file", response: { output }, willContinue: false } }],
  },
];
const ASK = { role: "user", parts: [{ text: "Mend the tests." }] };

function read(contents: readonly unknown[], indent?: number): WireRequest {
  const fields = { labels: { a: 1.0 }, contents, tools: [], generationConfig: { topP: 0.95 } };
  const body = JSON.stringify(fields, null, indent);
  const request = geminiAdapter.readRequest({ path: PATH, body });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

const write = (request: WireRequest, parts: readonly WirePart[]) => geminiAdapter.writeRequest(request, parts);
const original = (index: number): WirePart => ({ type: "original", index });
const standIn = (message: Message): WirePart => ({ type: "stand-in", message });
const contentsOf = (body: string): readonly unknown[] => JSON.parse(body).contents;

function folded(index: number, ...blocks: readonly (readonly [number, Block])[]): WirePart {
  const folds = blocks.map(([blockIndex, standIn]) => ({
    foldId: "clip-1",
    kind: "clip" as const,
    blockIndex,
    standIn,
    hiddenTokens: 1,
  }));
  return { type: "folded", index, folds };
}

describe("originals", () => {
  test("all of them are the body as it came, white space and all", () => {
    for (const indent of [0, 2]) {
      const request = read([ASK, ...step("a")], indent);
      expect(write(request, [0, 1, 2].map(original))).toBe(request.raw.body);
    }
  });

  test("some of them are the same bytes between the same fields", () => {
    const request = read([ASK, ...step("a"), ...step("b")], 2);
    const { body } = request.raw;
    const written = write(request, [0, 3, 4].map(original));
    const text = (value: unknown) => JSON.stringify(value, null, 2).replaceAll("\n", "\n    ");
    const [call, answer] = step("b");
    expect(written).toBe(
      body.slice(0, body.indexOf(text(ASK))) +
        [ASK, call, answer].map(text).join(",\n    ") +
        body.slice(body.lastIndexOf(text(answer)) + text(answer).length),
    );
  });

  test("contents of unknown roles that are left alone are still a list of JSON", () => {
    const system = { role: "system", parts: [{ text: "x" }] };
    expect(contentsOf(write(read([system, ASK], 2), []))).toEqual([system]);
  });

  test("contents of unknown roles stay where they were: before the first message, or behind theirs", () => {
    const system = { role: "system", parts: [{ text: "x" }] };
    const request = read([system, ASK, system, ...step("a"), ASK]);
    expect(contentsOf(write(request, [0, 3].map(original)))).toEqual([system, ASK, system, ASK]);
  });

  test.each(["contents", "generateContentRequest"])("are the same bytes in a count that has them in %s", (name) => {
    const path = PATH.replace("generateContent", "countTokens");
    const contents = [ASK, ...step("a"), ...step("b")];
    const wrapped = { model: "models/m", labels: { contents: [] }, contents, tools: [] };
    const body = JSON.stringify(
      { a: 1.5, ...(name === "contents" ? { contents } : { [name]: wrapped }), z: [] },
      null,
      1,
    );
    const request = geminiAdapter.readRequest({ path, body });
    if (request === undefined) throw new Error("The request was not read.");
    expect(write(request, [0, 1, 2, 3, 4].map(original))).toBe(body);
    expect(write(request, [folded(0), ...[1, 2, 3, 4].map(original)])).toBe(body);
    const stub: Block = { type: "tool_result", tool_use_id: "a", content: "stub" };
    const parts = [original(0), original(1), folded(2, [0, stub]), original(3), original(4)];
    expect(write(request, parts)).toBe(body.replace(JSON.stringify(LONG), '"stub"'));
    expect(write({ ...request }, parts)).toBe(write(request, parts));
  });

  test("are found again in a copy of the request", () => {
    const request = { ...read([ASK, ...step("a"), ...step("b")]) };
    expect(contentsOf(write(request, [0, 3, 4].map(original)))).toEqual([ASK, ...step("b")]);
  });
});

describe("a folded message", () => {
  test("differs only in the text that is hidden: signatures, ids and other fields keep their bytes", () => {
    const request = read([ASK, ...step("a"), ...step("b")], 1);
    const log = clearToolResults(numberedLog(request.messages), { keepNewest: 1, minGainTokens: 0 }).messages;
    const shown = log[2]?.folds?.[0]?.standIn;
    const stub = shown !== undefined && "content" in shown ? shown.content : undefined;
    expect(stub).toMatch(/read_file a\.ts.*tokens hidden in fold/);
    const written = write(request, wireParts(log));
    expect(written).toBe(request.raw.body.replace(JSON.stringify(LONG), JSON.stringify(stub)));
  });

  test("shows clipped text and arguments in place", () => {
    const request = read([ASK, ...step("a")]);
    const call = { type: "tool_use", id: "a", name: "read_file", input: { path: "…" }, thoughtSignature: "sig-a" };
    const written = write(request, [folded(0, [0, { type: "text", text: "Me…" }]), folded(1, [1, call]), original(2)]);
    expect(written).toBe(request.raw.body.replace('"Mend the tests."', '"Me…"').replace('"a.ts"', '"…"'));
  });

  test("shows text for what is hidden whole: thoughts, media, unknown parts and contents", () => {
    const hidden = { type: "text", text: "[hidden]" } as const;
    const request = read([
      { role: "user", parts: [{ text: "See" }, IMAGE, { fileData: { fileUri: "x" } }] },
      { role: "tool", parts: [] },
      { role: "model", parts: [{ text: "Hm.", thought: true, thoughtSignature: "s" }, { text: "So." }] },
    ]);
    const written = write(request, [folded(0, [1, hidden], [2, hidden], [3, hidden]), folded(1, [0, hidden])]);
    expect(contentsOf(written)).toEqual([
      { role: "user", parts: [{ text: "See" }, { text: "[hidden]" }, { text: "[hidden]" }] },
      { role: "user", parts: [{ text: "[hidden]" }] },
      { role: "model", parts: [{ text: "[hidden]" }, { text: "So." }] },
    ]);
  });

  const answers = (...responses: readonly object[]) => [
    ASK,
    { role: "model", parts: responses.map((_, index) => ({ functionCall: { id: `c${index}`, name: "see" } })) },
    { role: "user", parts: responses.map((each, index) => ({ functionResponse: { id: `c${index}`, ...each } })) },
  ];
  const result = (id: string, content: string | readonly Block[], fields: object = {}): Block => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...fields,
  });

  test("keeps the media of a response that are not hidden, and tells those that are", () => {
    const other = { inlineData: { mimeType: "image/png", data: "BBBB" } };
    const request = read(answers({ name: "see", response: { output: "look" }, parts: [IMAGE, other] }));
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "BBBB" } };
    const shown = [{ type: "text", text: "look" }, { type: "text", text: "[image hidden]" }, image];
    const one = write(request, [original(0), original(1), folded(2, [0, result("c0", shown)])]);
    const [, , turn] = contentsOf(one);
    expect(turn).toEqual(answers({ name: "see", response: { output: "look\n[image hidden]" }, parts: [other] })[2]);
    const all = write(request, [original(0), original(1), folded(2, [0, result("c0", "[all hidden]")])]);
    expect(contentsOf(all)[2]).toEqual(answers({ name: "see", response: { output: "[all hidden]" }, parts: [] })[2]);
  });

  test("shows a response that is no single text as one", () => {
    const request = read(
      answers({ name: "see", response: { lines: [1, 2] } }, { response: { error: { code: 5 } } }, { parts: [IMAGE] }),
    );
    const shown = folded(
      2,
      [0, result("c0", "[1]")],
      [1, result("c1", "[2]", { is_error: true })],
      [2, result("c2", [{ type: "text", text: "[3]" }])],
    );
    expect(contentsOf(write(request, [original(0), original(1), shown]))[2]).toEqual(
      answers(
        { name: "see", response: { output: "[1]" } },
        { response: { error: "[2]" } },
        { response: { output: "[3]" }, parts: [] },
      )[2],
    );
  });
});

describe("a stand-in", () => {
  const marker: Message = { role: "user", content: "[2 earlier messages hidden]", isTruncationMarker: true };
  const summary: Message = {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Not a thought of Gemini." },
      { type: "text", text: "SUMMARY" },
    ],
  };
  const written = { role: "model", parts: [{ text: "SUMMARY" }] };
  const goOn = { role: "user", parts: [{ text: "Go on from there." }] };

  test("is a turn of its role, without reasoning that is not Gemini's", () => {
    const request = read([ASK, ...step("a"), ASK]);
    expect(contentsOf(write(request, [original(0), standIn(marker), original(3)]))).toEqual([
      ASK,
      { role: "user", parts: [{ text: "[2 earlier messages hidden]" }] },
      ASK,
    ]);
    expect(contentsOf(write(request, [original(0), standIn(summary), original(3)]))).toEqual([ASK, written, ASK]);
  });

  test("is followed by a word of the user where the model's turn comes next, for calls must follow the user", () => {
    const request = read([ASK, ...step("a"), ...step("b")]);
    const parts = [original(0), standIn(summary), original(3), original(4)];
    expect(contentsOf(write(request, parts))).toEqual([ASK, written, goOn, ...step("b")]);
  });

  test("of the model comes neither first nor last, nor do turns of the model meet that were apart", () => {
    const reply = { role: "model", parts: [{ text: "Done." }] };
    const request = read([ASK, reply, ASK, reply]);
    expect(contentsOf(write(request, [standIn(summary), original(2)]))).toEqual([goOn, written, ASK]);
    expect(contentsOf(write(request, [original(0), standIn(summary)]))).toEqual([ASK, written, goOn]);
    expect(contentsOf(write(request, [0, 1, 3].map(original)))).toEqual([ASK, reply, goOn, reply]);
  });

  test("carries calls as the bytes they were, with their signature, whether they had ids or not", () => {
    for (const id of ["b", undefined]) {
      const call = { functionCall: { name: "read_file", args: { n: 1.5 }, id, more: [] }, thoughtSignature: "sig" };
      const thought = { text: "Hm.", thought: true, thoughtSignature: "think" };
      const answer = { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "x" } } }] };
      const request = read([ASK, ...step("a"), { role: "model", parts: [thought, call] }, answer]);
      const log = numberedLog(request.messages);
      const plan = planSummary(log, { taskId: "t", keepMessages: 1, countTokens: countContentTokens });
      if (plan.type === "refused") throw new Error(plan.error);
      const body = write(request, wireParts(applyCondensation(log, plan, [summaryMessage(plan, "SUMMARY")])));
      expect(contentsOf(body)).toEqual([
        ASK,
        {
          role: "model",
          parts: [
            thought,
            { text: "SUMMARY" },
            { text: expect.stringContaining("hidden") },
            JSON.parse(JSON.stringify(call)),
          ],
        },
        answer,
      ]);
      expect(body).toContain(JSON.stringify(call));
    }
  });

  test("that carries calls comes after the user's own words: signatures of older turns may be gone", () => {
    const request = read([ASK, ...step("a"), ...step("b")]);
    const [message] = request.messages.slice(3);
    if (message === undefined) throw new Error("There is no such message.");
    const carrying: Message = { ...message, isSummary: true, condenseId: "c" };
    expect(contentsOf(write(request, [0, 1, 2].map(original).concat(standIn(carrying), original(4))))).toEqual([
      ASK,
      ...step("a"),
      goOn,
      { role: "model", parts: step("b")[0]?.parts },
      step("b")[1],
    ]);
  });

  test("tells of a call that is not in the request, with the id that it had", () => {
    const request = read([ASK, ASK]);
    const call = { type: "tool_use", id: "z", name: "ls", input: "raw", thoughtSignature: "s" };
    const unnamed = { type: "tool_use", id: "unnamed-call-7", name: "ls", input: {} };
    const parts = [original(0), standIn({ role: "assistant", content: [call, unnamed] }), original(1)];
    expect(contentsOf(write(request, parts))[1]).toEqual({
      role: "model",
      parts: [
        { functionCall: { id: "z", name: "ls", args: { input: "raw" } }, thoughtSignature: "s" },
        { functionCall: { name: "ls", args: {} } },
      ],
    });
  });
});
