import { describe, expect, test } from "vitest";
import { canonicalTexts } from "../../../test/support/wire-parts.ts";
import { detectPairs } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { geminiAdapter } from "./index.ts";

const PATH = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
const ASK = { role: "user", parts: [{ text: "What is in a.ts?" }] };

function readBody(body: unknown, path = PATH) {
  return geminiAdapter.readRequest({ path, body: typeof body === "string" ? body : JSON.stringify(body) });
}

function read(...contents: readonly unknown[]) {
  const request = readBody({ contents });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

const call = (name: string, fields: object = {}) => ({ functionCall: { name, args: {}, ...fields } });
const answer = (name: string, output: string, fields: object = {}) => ({
  functionResponse: { name, response: { output }, ...fields },
});
const pairsOf = (...contents: readonly unknown[]) =>
  detectPairs(read(...contents).messages).map(({ call, result }) => [call.block.name, result?.block.content]);

describe("a request", () => {
  test("tells its model, its allowance and what stands before the conversation", () => {
    const tools = [{ functionDeclarations: [{ name: "read" }] }];
    const request = readBody({
      contents: [ASK],
      systemInstruction: { role: "user", parts: [{ text: "You help." }, { text: "Briefly." }] },
      tools,
      generationConfig: { temperature: 0, maxOutputTokens: 8_000 },
    });
    expect(request).toMatchObject({ modelId: "gemini-2.5-pro", isStreaming: true, maxOutputTokens: 8_000, tools });
    expect(request?.systemPrompt).toBe("You help.\n\nBriefly.");
    expect(request?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "What is in a.ts?" }] }]);
  });

  test("is read in snake case, with one part in place of a list, and without a role", () => {
    const request = readBody(
      {
        contents: [{ parts: { text: "hi" } }, { role: "model", parts: [{ function_call: { name: "read" } }] }],
        system_instruction: { parts: { text: "Help." } },
        generation_config: { max_output_tokens: 5 },
      },
      "/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent",
    );
    expect(request).toMatchObject({ modelId: "gemini-3-pro", isStreaming: false, maxOutputTokens: 5 });
    expect(request?.systemPrompt).toBe("Help.");
    expect(request?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "unnamed-call-0", name: "read", input: {} }] },
    ]);
  });

  test("carries thoughts, signatures, media and parts that nobody knows", () => {
    const { messages } = read(
      { role: "user", parts: [{ text: "Look" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true },
          { executableCode: { language: "PYTHON", code: "1" } },
          { text: "\n" },
          { functionCall: { id: "c1", name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" },
          { text: "", thoughtSignature: "ZW5k" },
        ],
      },
    );
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "Look" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ]);
    expect(messages[1]?.content).toEqual([
      { type: "reasoning", text: "Hm.", thought: true },
      { type: "executableCode", executableCode: { language: "PYTHON", code: "1" } },
      { type: "blank_text", text: "\n" },
      { type: "tool_use", id: "c1", name: "read", input: { path: "a" }, thoughtSignature: "c2ln" },
      { type: "reasoning", text: "", thoughtSignature: "ZW5k" },
    ]);
  });

  test("shows what a function answered as text, wherever the agent put it, with the images beside it", () => {
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const responses = [
      { response: { output: "a.ts" } },
      { response: { error: "no such file" } },
      { response: { name: "read", content: "by an SDK" } },
      { response: { lines: 3, isBinary: false } },
      { response: { output: "see" }, parts: [image] },
      { parts: [image] },
      {},
      { parts: [{ text: "more" }, { functionResponse: { parts: [] } }, 5] },
    ];
    const { messages } = read(
      ASK,
      { role: "model", parts: responses.map((_, index) => call("read", { id: `c${index}` })) },
      { role: "user", parts: responses.map((each, index) => ({ functionResponse: { id: `c${index}`, ...each } })) },
    );
    const block = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    expect(messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "c0", content: "a.ts" },
      { type: "tool_result", tool_use_id: "c1", content: "no such file", is_error: true },
      { type: "tool_result", tool_use_id: "c2", content: "by an SDK" },
      { type: "tool_result", tool_use_id: "c3", content: '{"lines":3,"isBinary":false}' },
      { type: "tool_result", tool_use_id: "c4", content: [{ type: "text", text: "see" }, block] },
      { type: "tool_result", tool_use_id: "c5", content: [block] },
      { type: "tool_result", tool_use_id: "c6", content: "" },
      {
        type: "tool_result",
        tool_use_id: "c7",
        content: [
          { type: "text", text: "more" },
          { type: "functionResponse", functionResponse: { parts: [] } },
          { type: "part", value: 5 },
        ],
      },
    ]);
    expect(validateView(messages)).toEqual([]);
  });
});

describe("calls and responses", () => {
  test("without ids pair in order, by the name of the function", () => {
    const pairs = pairsOf(
      ASK,
      { role: "model", parts: [call("ls"), call("cat"), call("ls")] },
      { role: "function", parts: [answer("cat", "text"), answer("ls", "first"), answer("ls", "second")] },
    );
    expect(pairs).toEqual([
      ["ls", "first"],
      ["cat", "text"],
      ["ls", "second"],
    ]);
  });

  test("pair where only the responses have ids, as the Gemini CLI sends them", () => {
    const step = (id: string) => [
      { role: "model", parts: [call("ls"), call("ls")] },
      { role: "user", parts: [answer("ls", "one", { id: `${id}-1` }), answer("ls", "two", { id: `${id}-2` })] },
    ];
    const contents = [ASK, ...step("a"), ...step("b")];
    expect(pairsOf(...contents)).toEqual(["one", "two", "one", "two"].map((output) => ["ls", output]));
    expect(validateView(read(...contents).messages)).toEqual([]);
  });

  test("pair by id first, whatever the order, and also where an id comes twice", () => {
    const pairs = pairsOf(
      ASK,
      { role: "model", parts: [call("ls", { id: "x" }), call("ls")] },
      { role: "user", parts: [answer("ls", "to the second"), answer("ls", "to x", { id: "x" })] },
      { role: "model", parts: [call("ls", { id: "x" })] },
      { role: "user", parts: [answer("ls", "to x again", { id: "x" })] },
    );
    expect(pairs.map(([, output]) => output)).toEqual(["to x", "to the second", "to x again"]);
  });

  test("keep their ids when the conversation goes on", () => {
    const contents = [
      ASK,
      { role: "model", parts: [call("ls")] },
      { role: "user", parts: [answer("ls", "x")] },
      { role: "model", parts: [call("ls")] },
      { role: "user", parts: [answer("ls", "x")] },
    ];
    expect(read(...contents).messages.slice(0, 3)).toEqual(read(...contents.slice(0, 3)).messages);
  });

  test("in places where they make no pair leave the request alone", () => {
    expect(readBody({ contents: [{ role: "user", parts: [call("ls")] }] })).toBeUndefined();
    expect(readBody({ contents: [ASK, { role: "model", parts: [answer("ls", "x")] }] })).toBeUndefined();
  });
});

describe("a count of tokens", () => {
  const COUNT = "/v1beta/models/gemini-2.5-pro:countTokens";
  const step = [
    { role: "model", parts: [call("ls", { id: "c1" })] },
    { role: "user", parts: [answer("ls", "a.ts", { id: "c1" })] },
  ];
  const contents = [ASK, ...step];

  test("is read as the conversation that it counts", () => {
    const request = readBody({ contents }, COUNT);
    expect(request).toMatchObject({ operation: "count-tokens", modelId: "gemini-2.5-pro", isStreaming: false });
    expect(request?.messages).toEqual(read(...contents).messages);
    expect(request && canonicalTexts(request)).toEqual(canonicalTexts(read(...contents)));
    expect(read(...contents).operation).toBe("generate");
  });

  test.each(["generateContentRequest", "generate_content_request"])("wraps a whole request in %s", (name) => {
    const tools = [{ functionDeclarations: [{ name: "ls" }] }];
    const wrapped = { model: "models/m", contents, tools, systemInstruction: { parts: [{ text: "Help." }] } };
    const request = readBody({ [name]: wrapped }, COUNT);
    expect(request).toMatchObject({ operation: "count-tokens", systemPrompt: "Help.", tools });
    expect(request?.messages).toEqual(read(...contents).messages);
  });

  test.each<[string, unknown]>([
    ["one response alone", { contents: step.slice(1) }],
    ["a response without its call", { contents: [ASK, step[1]] }],
    ["what the model says first", { contents: step }],
    ["contents in two places", { contents, generateContentRequest: { contents } }],
    ["nothing", {}],
    ["a request without contents", { generateContentRequest: { model: "models/m" } }],
    ["one content that is no list", { contents: ASK }],
  ])("of %s is left alone", (_, body) => {
    expect(readBody(body, COUNT)).toBeUndefined();
  });

  test("is the only request that wraps another", () => {
    expect(readBody({ generateContentRequest: { contents } })).toBeUndefined();
  });
});

describe("who is calling", () => {
  test("a message tells the ids that the agent gave its calls, and none of ours", () => {
    const request = read(
      ASK,
      {
        role: "model",
        parts: [call("ls", { id: "c1" }), call("ls"), call("ls", { id: "c1" }), call("ls", { id: "" })],
      },
      { role: "user", parts: [answer("ls", "x", { id: "r1" })] },
    );
    expect(request.callIds).toEqual([[], ["c1"], []]);
    expect(request.agentSession).toBeUndefined();
  });
});

describe("a request is left alone", () => {
  test.each([
    ["without a conversation", {}],
    ["with an empty one", { contents: [] }],
    ["with one that is no list", { contents: { parts: [{ text: "hi" }] } }],
    ["with nothing but unknown roles", { contents: [{ role: "system", parts: [{ text: "hi" }] }] }],
    ["that is a list", [ASK]],
    ["that is no JSON", '{"contents":['],
    ["that is empty", ""],
  ])("%s", (_, body) => {
    expect(readBody(body)).toBeUndefined();
  });

  test.each(["/v1beta/models/m:embedContent", "/v1beta/models", "", ":"])("at %s", (path) => {
    expect(readBody({ contents: [ASK] }, path)).toBeUndefined();
  });

  test("that is nested deeper than the stack goes, instead of failing", () => {
    const deep = `{"contents":[{"parts":[{"functionCall":{"args":${"[".repeat(200_000)}${"]".repeat(200_000)}}}]}]}`;
    expect(readBody(deep)).toBeUndefined();
  });
});

describe("contents that nobody knows", () => {
  const system = { role: "system", parts: [{ text: "Be brief." }] };

  test("belong to the message before them, and to none where they come first", () => {
    const request = read(system, ASK, system, null, { role: "model", parts: [] });
    expect(request.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is in a.ts?" },
          { type: "content", content: system },
          { type: "content", content: null },
        ],
      },
      { role: "assistant", content: [{ type: "content", content: { role: "model", parts: [] } }] },
    ]);
    expect(request.systemPrompt).toBe("Be brief.");
    expect(new Set(canonicalTexts(request)).size).toBe(2);
  });
});

describe("the canonical text", () => {
  const canonical = (content: unknown) => read(ASK, content).canonical(1);

  test("is the same for the same turn, however it is written", () => {
    const plain = { role: "user", parts: [{ text: "hi" }] };
    const same = [{ parts: [{ text: "hi" }], role: "user" }, { parts: { text: "hi" } }, { ...plain, role: "function" }];
    for (const each of same) expect(canonical(each)).toBe(canonical(plain));
    const args = { path: "a", depth: { min: 1, max: 2 } };
    const sorted = { depth: { max: 2, min: 1 }, path: "a" };
    expect(canonical({ role: "model", parts: [call("ls", { args: sorted })] })).toBe(
      canonical({ role: "model", parts: [{ ...call("ls", { args }) }] }),
    );
  });

  test("leaves out signatures, which agents add to a current turn and drop from an old one", () => {
    const bare = { role: "model", parts: [call("ls", { id: "c1" })] };
    const signed = { role: "model", parts: [{ ...call("ls", { id: "c1" }), thoughtSignature: "c2ln" }] };
    expect(canonical(signed)).toBe(canonical(bare));
  });

  test("leaves out the function's name before an id, which Gemini CLI puts there where it quotes its history", () => {
    const [named, plain] = ["ls__call_7", "call_7"].map((id) => ({ role: "model", parts: [call("ls", { id })] }));
    expect(canonical(named)).toBe(canonical(plain));
    expect(canonical({ role: "user", parts: [answer("ls", "a.ts", { id: "ls__call_7" })] })).toBe(
      canonical({ role: "user", parts: [answer("ls", "a.ts", { id: "call_7" })] }),
    );
    expect(canonical({ role: "model", parts: [call("cat", { id: "ls__call_7" })] })).not.toBe(
      canonical({ role: "model", parts: [call("cat", { id: "call_7" })] }),
    );
    expect(read(ASK, named).callIds).toEqual([[], ["call_7"]]);
  });

  test("differs by text, role, id, number of parts and unknown fields", () => {
    const texts = [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ text: "hi" }] },
      { role: "user", parts: [{ text: "hi!" }] },
      { role: "user", parts: [{ text: "h" }, { text: "i" }] },
      { role: "model", parts: [{ text: "hi", thought: true }] },
      { role: "model", parts: [call("ls", { id: "c1" })] },
      { role: "model", parts: [call("ls", { id: "c2" })] },
      { role: "user", parts: [{ text: "hi" }], more: 1 },
    ].map(canonical);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

test("one tool alone is told, and whether it must be called", () => {
  const onlyTool = (tools: unknown, more: object = {}) => readBody({ contents: [ASK], tools, ...more })?.onlyTool;
  const form = { functionDeclarations: [{ name: "answer" }] };
  const forced = { toolConfig: { functionCallingConfig: { mode: "ANY" } } };
  expect(onlyTool([form])).toEqual({ name: "answer", isForced: false });
  expect(onlyTool([form], forced)).toEqual({ name: "answer", isForced: true });
  const snake = { tool_config: { function_calling_config: { mode: "ANY" } } };
  expect(onlyTool({ function_declarations: [{ name: "answer" }] }, snake)).toEqual({ name: "answer", isForced: true });
  const two = { functionDeclarations: [{ name: "one" }, { name: "two" }] };
  for (const tools of [undefined, [], [{ googleSearch: {} }], [form, form], [form, { googleSearch: {} }], [two]]) {
    expect(onlyTool(tools, forced)).toBeUndefined();
  }
});
