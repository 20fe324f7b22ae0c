import { describe, expect, test } from "vitest";
import { assistant, call, log, result, tag, text, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../../core/message/message.ts";
import { findModel } from "../../../core/models/registry.ts";
import { PROVIDERS } from "../provider-table.ts";
import { toRequest } from "./to-request.ts";
import { byToolName } from "./tools.ts";

function requestFor(model: string, messages: readonly Message[], systemPrompt = "") {
  const [name = "", modelId = ""] = model.split("/");
  const provider = PROVIDERS[name];
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return toRequest(systemPrompt, messages, { provider, entry: findModel(modelId) });
}

function promptFor(model: string, ...messages: readonly Message[]) {
  return requestFor(model, messages).prompt;
}

const OPENAI = "openai/gpt-4o";
const CLAUDE = "anthropic/claude-haiku-4-5";
const PIXEL = "iVBORw0KGgo=";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;

describe("turns", () => {
  test("neighbouring messages of one role become one, their texts apart", () => {
    expect(promptFor(OPENAI, user("one"), user("two"), assistant("three"), user("four"))).toEqual([
      { role: "user", content: [text("one\n\ntwo")] },
      { role: "assistant", content: [text("three")] },
      { role: "user", content: [text("four")] },
    ]);
  });

  test("empty texts go, and messages that are left with nothing", () => {
    const unknown = { type: "server_thing", payload: 1 };
    const prompt = promptFor(OPENAI, user("one", " "), assistant(" \n"), assistant(unknown), user(""), user("two"));
    expect(prompt).toEqual([{ role: "user", content: [text("one\n\ntwo")] }]);
  });

  test("a conversation that begins with the assistant gets a user's turn before it", () => {
    expect(promptFor(OPENAI, assistant("summary"), user("go on")).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
  });

  test("nothing to send is an error that says so", () => {
    expect(() => promptFor(OPENAI, user(" "))).toThrow(/nothing to send/);
    expect(() => promptFor(OPENAI)).toThrow(/nothing to send/);
  });

  test("a blank system prompt is left out", () => {
    expect(requestFor(OPENAI, [user("a")], "Be brief.").prompt[0]).toEqual({ role: "system", content: "Be brief." });
    expect(requestFor(OPENAI, [user("a")], " ").prompt).toHaveLength(1);
  });

  test("no field of ours is sent", () => {
    const fold = { foldId: "f1", kind: "clear", blockIndex: 0, standIn: text("stub"), hiddenTokens: 9 } as const;
    const messages = log(
      tag(user("hello"), { important: true, folds: [fold], condenseParent: "c1" }),
      tag(assistant("hi"), { isSummary: true, condenseId: "c1" }),
    );
    expect(requestFor(CLAUDE, messages).prompt).toEqual([
      { role: "user", content: [text("hello")] },
      { role: "assistant", content: [text("hi")] },
    ]);
  });

  test("half a character is replaced, a whole one is not", () => {
    const prompt = promptFor(
      OPENAI,
      user("cut \ud83d here, whole 😀"),
      assistant(call("c1", "t", { a: "\udc00" })),
      user(result("c1")),
    );
    expect(JSON.stringify(prompt)).toContain("cut \ufffd here, whole 😀");
    expect(JSON.stringify(prompt)).not.toMatch(/\\u/);
  });
});

describe("tools", () => {
  const work = [
    user("go"),
    assistant("Reading.", call("c1"), call("c2", "run")),
    user(result("c1"), result("c2"), "and?"),
  ];

  test("results come in a message of their own, before what the user says, with the name of their tool", () => {
    expect(promptFor(OPENAI, ...work).slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          text("Reading."),
          { type: "tool-call", toolCallId: "c1", toolName: "read_file", input: { path: "a.ts" } },
          { type: "tool-call", toolCallId: "c2", toolName: "run", input: { path: "a.ts" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "read_file", output: { type: "text", value: "done" } },
          { type: "tool-result", toolCallId: "c2", toolName: "run", output: { type: "text", value: "done" } },
        ],
      },
      { role: "user", content: [text("and?")] },
    ]);
  });

  test("are defined only where the provider wants them, and never offered", () => {
    expect(requestFor(CLAUDE, work)).toMatchObject({
      tools: [{ name: "read_file" }, { name: "run" }],
      toolChoice: { type: "none" },
    });
    expect(requestFor(CLAUDE, [user("go")])).not.toHaveProperty("tools");
    expect(requestFor(OPENAI, work)).not.toHaveProperty("tools");
  });

  test("are offered as they are given, and then no others are defined", () => {
    const inputSchema = { type: "object", properties: { path: { type: "string" } } } as const;
    const tools = byToolName([
      { name: "2.write", description: "Writes.", inputSchema },
      { name: "run", description: "Runs.", inputSchema },
    ]);
    const provider = PROVIDERS.anthropic;
    if (provider === undefined) throw new Error("no provider");
    const request = toRequest("", work, { provider, entry: findModel("claude-haiku-4-5"), tools });
    expect(request.tools).toEqual([
      { type: "function", name: "_2_write", description: "Writes.", inputSchema },
      { type: "function", name: "run", description: "Runs.", inputSchema },
    ]);
    expect(request).not.toHaveProperty("toolChoice");
  });

  test("half a pair becomes text", () => {
    const prompt = promptFor(
      OPENAI,
      user("go"),
      assistant(call("c1"), call("c2", "run", { command: "ls" })),
      user(result("c1"), result("c9", "from nowhere")),
      assistant(call("c3", "wait")),
    );
    expect(prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          expect.objectContaining({ toolCallId: "c1" }),
          text('[A call of the tool run that has no result: {"command":"ls"}]'),
        ],
      },
      { role: "tool", content: [expect.objectContaining({ toolCallId: "c1" })] },
      { role: "user", content: [text("[The result of a tool call that is not shown: from nowhere]")] },
      { role: "assistant", content: [text('[A call of the tool wait that has no result: {"path":"a.ts"}]')] },
    ]);
  });

  test("an id that is used twice pairs once", () => {
    const twice = [assistant(call("c1")), user(result("c1", "first"))];
    const roles = promptFor(OPENAI, user("go"), ...twice, assistant(call("c1")), user(result("c1", "second")));
    expect(roles.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  });

  test.each([
    [undefined, {}],
    ["ls -l", { input: "ls -l" }],
    [["a"], { input: ["a"] }],
    [{ size: 1n }, { input: "[unserializable]" }],
  ])("the input %o is sent as the object %o", (input, sent) => {
    const prompt = promptFor(OPENAI, user("go"), assistant({ ...call("c1"), input }), user(result("c1")));
    expect(prompt[1]?.content[0]).toMatchObject({ type: "tool-call", input: sent });
  });

  test("a tool's name is sent in characters that every provider allows", () => {
    const prompt = promptFor(CLAUDE, user("go"), assistant(call("c1", "files.read/é")), user(result("c1")));
    expect(prompt[1]?.content[0]).toMatchObject({ toolName: "files_read__" });
    expect(prompt[2]?.content[0]).toMatchObject({ toolName: "files_read__" });
  });

  test("errors stay errors, and no output is said in words", () => {
    const failed = { ...result("c1", "ENOENT"), is_error: true };
    const silent = { type: "tool_result", tool_use_id: "c2" } as const;
    const prompt = promptFor(OPENAI, user("go"), assistant(call("c1"), call("c2")), user(failed, silent));
    expect(prompt[2]?.content).toMatchObject([
      { output: { type: "error-text", value: "ENOENT" } },
      { output: { type: "text", value: "(no output)" } },
    ]);
  });
});

describe("reasoning goes back", () => {
  const signed = { type: "reasoning", text: "", signature: "sig" };
  const plain = { type: "reasoning", text: "thinking" };
  const kept = (model: string) => {
    const [, turn] = promptFor(model, user("go"), assistant(signed, plain, "so"), user("on"));
    return typeof turn?.content === "string" ? [] : turn?.content.filter(({ type }) => type === "reasoning");
  };

  test("to Anthropic with its signature, byte for byte", () => {
    expect(kept(CLAUDE)).toEqual([
      { type: "reasoning", text: "", providerOptions: { anthropic: { signature: "sig" } } },
    ]);
  });

  test("not to Anthropic where it holds half of a surrogate pair: it is refused as it is, and as another text", () => {
    const [, turn] = promptFor(CLAUDE, user("go"), assistant({ ...signed, text: "\ud83d" }, "so"), user("on"));
    expect(JSON.stringify(turn)).not.toMatch(/signature|\\ud83d/);
  });

  test("to DeepSeek, and to models at a compatible server that want it", () => {
    expect(kept("deepseek/deepseek-v4-pro")).toEqual([plain]);
    expect(kept("openai-compatible/glm-5.3")).toEqual([plain]);
  });

  test("to Gemini with its signature, on thoughts and on calls", () => {
    const thought = { type: "reasoning", text: "hm", thoughtSignature: "t" };
    const signedCall = { ...call("c1"), thoughtSignature: "c" };
    const turn = (model: string) =>
      promptFor(model, user("go"), assistant(signed, thought, plain, signedCall), user(result("c1")))[1]?.content;
    expect(turn("google/gemini-3-pro-preview")).toEqual([
      { type: "reasoning", text: "hm", providerOptions: { google: { thoughtSignature: "t" } } },
      expect.objectContaining({ toolCallId: "c1", providerOptions: { google: { thoughtSignature: "c" } } }),
    ]);
    expect(JSON.stringify(turn(CLAUDE))).not.toContain("thoughtSignature");
    expect(JSON.stringify(turn("deepseek/deepseek-v4-pro"))).not.toMatch(/ignature/);
  });

  test("to nobody else", () => {
    expect(kept(OPENAI)).toEqual([]);
    expect(kept("google/gemini-2.5-flash")).toEqual([]);
    expect(kept("ollama/llama3.1")).toEqual([]);
  });

  test("as a remark where the model wants some and another model made the calls", () => {
    const calls = (model: string) =>
      promptFor(model, user("go"), assistant(call("c1")), user(result("c1")))[1]?.content;
    expect(calls("openai-compatible/glm-5.3")).toMatchObject([{ type: "reasoning" }, { type: "tool-call" }]);
    expect(calls("openai-compatible/llama3.1")).toMatchObject([{ type: "tool-call" }]);
  });

  test("not where it leads to nothing", () => {
    expect(promptFor(CLAUDE, user("go"), assistant(signed), user("on"))).toEqual([
      { role: "user", content: [text("go\n\non")] },
    ]);
  });
});

describe("images", () => {
  const file = { type: "file", mediaType: "image/png", data: { type: "data", data: PIXEL } };
  const at = (url: string) => ({ type: "image", source: { type: "url", url } }) as const;

  test("are sent by value and by address", () => {
    const prompt = promptFor(
      OPENAI,
      user("see", image, at(`data:image/png;base64,${PIXEL}`), at("https://a.test/b.webp")),
    );
    expect(prompt[0]?.content).toEqual([
      text("see"),
      file,
      file,
      { type: "file", mediaType: "image/webp", data: { type: "url", url: new URL("https://a.test/b.webp") } },
    ]);
  });

  test("are left out where they are none, or the assistant's", () => {
    const document = { type: "image", source: { type: "base64", media_type: "application/pdf", data: "x" } };
    const bitmap = { type: "image", source: { type: "base64", media_type: "image/bmp", data: PIXEL } };
    const empty = { type: "image", source: { type: "base64", media_type: "image/png", data: " " } };
    const stored = { type: "image", source: { type: "file", file_id: "f" } };
    const prompt = promptFor(
      OPENAI,
      user(
        "see",
        document,
        stored,
        bitmap,
        empty,
        at("file:///etc/passwd"),
        at("?"),
        at("data:image/png;base64,no+=no"),
      ),
      assistant(image, "ok"),
    );
    expect(prompt.map(({ content }) => content)).toEqual([[text("see")], [text("ok")]]);
  });

  test("in tool results go to Anthropic, and are a word elsewhere", () => {
    const shot = { type: "tool_result", tool_use_id: "c1", content: [text(" "), text("shot:"), image] } as const;
    const output = (model: string) => promptFor(model, user("go"), assistant(call("c1")), user(shot))[2]?.content[0];
    expect(output(CLAUDE)).toMatchObject({ output: { type: "content", value: [text("shot:"), file] } });
    expect(output("google/gemini-2.5-flash")).toMatchObject({ output: { type: "text", value: "shot:\n[image]" } });
  });
});
