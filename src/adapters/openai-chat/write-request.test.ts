import { describe, expect, test } from "vitest";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Block, BlockFold, Message } from "../../core/message/message.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { openaiChatAdapter } from "./index.ts";

const CALL = `{ "id":"c1","type":"function", "extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"arguments":"{ \\"path\\":\\"a.ts\\",\\"at\\":12345678901234567890 }","name":"read_file"} }`;

/** As a client in Python might write it: spaced, escaped, with fields that nobody knows. */
const BODY = `{"seed": 7, "messages" : [
  {"role": "system", "content": "S"} ,
  {"content": "Go \\u00e9", "role": "user", "x": {"y": [1.0, 1e2]}},
  {"role": "assistant", "reasoning_content": "Hm.", "content": [{"type":"text","text":"Look:","cache_control":{"type":"ephemeral"}}], "tool_calls": [${CALL}]},
  {"role": "tool", "tool_call_id": "c1", "content": [{"text": "long", "v": 1.50, "type": "text"}, {"type": "image_url", "image_url": {"url": "https://x/y.png"}}], "name": "read_file"},
  {"role": "system", "content": "Remember."},
  {"role": "user", "content": "And?"}
] , "model":"deepseek-reasoner", "messages_": []}\n`;

function read(body = BODY): WireRequest {
  const request = openaiChatAdapter.readRequest({ path: "/chat/completions", body });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

function write(parts: readonly WirePart[], body = BODY): string {
  return openaiChatAdapter.writeRequest(read(body), parts);
}

const original = (index: number): WirePart => ({ type: "original", index });
const folded = (index: number, ...standIns: readonly (readonly [number, Block])[]): WirePart => {
  const folds = standIns.map(
    ([blockIndex, standIn]): BlockFold => ({ foldId: "f", kind: "clip", blockIndex, standIn, hiddenTokens: 1 }),
  );
  return { type: "folded", index, folds };
};
const standIn = (message: Message): WirePart => ({ type: "stand-in", message });
const ALL = [0, 1, 2, 3].map(original);
const notice = { type: "text", text: "[hidden]" };

function itemsOf(body: string): readonly unknown[] {
  const parsed = tryParseJson(body);
  return isRecord(parsed) && Array.isArray(parsed.messages) ? parsed.messages : [];
}

describe("originals", () => {
  test("give the same body to the byte", () => {
    expect(write(ALL)).toBe(BODY);
  });

  test("are the same bytes where others are gone, and so is what stands around the conversation", () => {
    const { 0: head, 1: rest } = BODY.split(/(?<="content": "S"\}) ,\n {2}/);
    const last = `{"role": "user", "content": "And?"}`;
    const tail = BODY.slice(BODY.indexOf(last));
    expect(rest).toBeDefined();
    expect(write([original(3)])).toBe(`${head},${tail}`);
  });

  test("of a copied request are found again", () => {
    expect(openaiChatAdapter.writeRequest({ ...read() }, ALL)).toBe(BODY);
  });

  test("that are not there are a mistake of the caller", () => {
    expect(() => write([original(4)])).toThrow("index is 4; it must be that of one of the request's 4 messages");
  });

  test("of a field that comes twice are those that a parser would take", () => {
    const body = `{"messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":"b"}]}`;
    expect(write([folded(0, [0, notice])], body)).toBe(body.replace('"b"', '"[hidden]"'));
  });
});

describe("a folded message", () => {
  const changes = (part: WirePart) => write(ALL.with(part.type === "stand-in" ? 0 : part.index, part));

  test("keeps a text that is alone a text", () => {
    expect(changes(folded(0, [0, notice]))).toBe(BODY.replace('"Go \\u00e9"', '"[hidden]"'));
  });

  test("changes only the text of a part, and only the arguments of a call", () => {
    const clipped = { type: "tool_use", id: "c1", name: "read_file", input: { path: "…" } };
    expect(changes(folded(1, [1, notice], [2, clipped]))).toBe(
      BODY.replace('"Look:"', '"[hidden]"').replace(
        /"arguments":".*?",(?="name")/,
        `"arguments":"{\\"path\\":\\"…\\"}",`,
      ),
    );
  });

  test("keeps the field of reasoning, which some servers demand", () => {
    expect(changes(folded(1, [0, notice]))).toBe(BODY.replace('"Hm."', '"[hidden]"'));
  });

  test("empties sealed details together with the reasoning", () => {
    const body = `{"messages":[{"role":"assistant","reasoning":"Hm.","reasoning_details":[{"data":"c2Vh"}],"content":"a"}]}`;
    expect(write([folded(0, [0, notice])], body)).toBe(
      body.replace('"Hm."', '"[hidden]"').replace(/\[\{"data.*?\]/, "[]"),
    );
  });

  test("shows a result as a stub, or changes only those of its parts that differ", () => {
    const block = read().messages[2]?.content[0];
    if (typeof block !== "object" || !("content" in block) || !Array.isArray(block.content))
      throw new Error("No result.");
    const list = /\[\{"text": "long".*?\}\}\]/;
    expect(changes(folded(2, [0, { ...block, content: "stub" }]))).toBe(BODY.replace(list, '"stub"'));
    expect(changes(folded(2, [0, { ...block, content: [block.content[0], notice] }]))).toBe(
      BODY.replace(/\{"type": "image_url".*?\}\}/, '{"type":"text","text":"[hidden]"}'),
    );
    expect(changes(folded(2, [0, { ...block, content: [{ ...notice, v: 1.5 }, block.content[1]] }]))).toBe(
      BODY.replace('"long"', '"[hidden]"'),
    );
  });

  test("leaves what the system says in between the system's", () => {
    expect(changes(folded(2, [1, notice]))).toBe(BODY.replace('"Remember."', '"[hidden]"'));
  });

  test("is not changed where the stand-in is another call's", () => {
    const other = { type: "tool_result", tool_use_id: "c9", content: "stub" };
    const call = { type: "tool_use", id: "c9", name: "read_file", input: {} };
    expect(changes(folded(2, [0, other]))).toBe(BODY);
    expect(changes(folded(1, [2, call]))).toBe(BODY);
  });

  test("shows the last of several folds of a block", () => {
    expect(changes(folded(0, [0, { type: "text", text: "first" }], [0, notice]))).toContain('"content": "[hidden]"');
  });

  test("adds no mark for caches, and keeps the one of a part that a text takes the place of", () => {
    const part = `{"type":"image_url","image_url":{"url":"https://x/y.png"},"cache_control":{"type":"ephemeral"}}`;
    const body = `{"messages":[{"role":"user","content":[${part}]}]}`;
    const mark = { cache_control: { type: "ephemeral" } };
    expect(read(body).messages[0]?.content).toMatchObject([{ type: "image", ...mark }]);
    const text = `{"type":"text","text":"[hidden]","cache_control":{"type":"ephemeral"}}`;
    expect(write([folded(0, [0, { ...notice, ...mark }])], body)).toBe(body.replace(part, text));
  });
});

describe("a stand-in", () => {
  const words: readonly Block[] = [
    { type: "reasoning", text: "It goes on." },
    { type: "text", text: "What was done." },
    { type: "text", text: "[2 messages hidden]" },
  ];

  function blockOf(messageIndex: number, blockIndex: number, body = BODY): Block {
    const block = read(body).messages[messageIndex]?.content[blockIndex];
    if (typeof block !== "object") throw new Error("There is no such block.");
    return block;
  }

  test("is one text, and a marker the user's", () => {
    const marker: Message = { role: "user", content: "[3 messages hidden]" };
    expect(itemsOf(write([original(0), standIn(marker), original(3)]))[2]).toEqual(marker);
    const ledger: Message = { role: "user", content: [notice, { type: "text", text: "More." }] };
    expect(itemsOf(write([standIn(ledger), original(3)]))[1]).toEqual({ role: "user", content: "[hidden]\n\nMore." });
  });

  test("carries calls as they were made, and the reasoning that they need", () => {
    const message: Message = { role: "assistant", content: [...words, blockOf(1, 2)] };
    expect(itemsOf(write([original(0), standIn(message), original(2), original(3)]))[2]).toEqual({
      role: "assistant",
      content: "What was done.\n\n[2 messages hidden]",
      reasoning_content: "It goes on.",
      tool_calls: [tryParseJson(CALL)],
    });
  });

  test("has no reasoning where the client sends none back, but keeps what is sealed", () => {
    const body = BODY.replace('"reasoning_content": "Hm."', '"reasoning_details":[{"data":"c2Vh"}]');
    const content = [...words.slice(0, 1), blockOf(1, 0, body), blockOf(1, 2)];
    const message: Message = { role: "assistant", content };
    const [, , written] = itemsOf(write([original(0), standIn(message), original(2)], body));
    expect(written).toEqual({
      role: "assistant",
      content: "",
      reasoning_details: [{ data: "c2Vh" }],
      tool_calls: [tryParseJson(CALL)],
    });
  });

  test("keeps the signature of a call whose arguments are clipped", () => {
    const clipped: BlockFold = {
      ...{ foldId: "f", kind: "clip", blockIndex: 0, hiddenTokens: 1 },
      standIn: { ...blockOf(1, 2), ...{ input: { path: "…" } } },
    };
    const message: Message = { role: "assistant", content: [blockOf(1, 2)], folds: [clipped] };
    const signature = { google: { thought_signature: "c2ln" } };
    expect(itemsOf(write([original(0), standIn(message)]))[2]).toEqual({
      role: "assistant",
      content: "",
      reasoning_content: "",
      tool_calls: [
        {
          ...{ id: "c1", type: "function", extra_content: signature },
          function: { name: "read_file", arguments: '{"path":"…"}' },
        },
      ],
    });
  });

  test("carries a call that the request no longer holds", () => {
    const message: Message = { role: "assistant", content: [notice, { ...blockOf(1, 2), ...{ id: "c7" } }] };
    expect(itemsOf(write([original(0), standIn(message)]))[2]).toMatchObject({
      tool_calls: [{ id: "c7", type: "function", function: { name: "read_file" } }],
    });
  });

  test("is the user's where nothing stands before it", () => {
    const message: Message = { role: "assistant", content: "What was done." };
    expect(itemsOf(write([standIn(message), original(3)]))[1]).toEqual({ role: "user", content: "What was done." });
  });

  test("that was clipped itself is shown clipped", () => {
    const fold: BlockFold = { foldId: "f", kind: "clip", blockIndex: 0, standIn: notice, hiddenTokens: 1 };
    const message: Message = { role: "user", content: "a long ledger", folds: [fold] };
    expect(itemsOf(write([standIn(message)]))[1]).toEqual({ role: "user", content: "[hidden]" });
  });
});
