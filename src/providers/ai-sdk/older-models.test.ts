/** The packages that go with AI SDK 5 and 6, held against those of AI SDK 7: the same is sent, and the same comes back. */
import * as anthropic5 from "ai-sdk-5-anthropic";
import * as google5 from "ai-sdk-5-google";
import * as openai5 from "ai-sdk-5-openai";
import * as anthropic6 from "ai-sdk-6-anthropic";
import * as google6 from "ai-sdk-6-google";
import * as openai6 from "ai-sdk-6-openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { picture } from "../../../test/support/media.ts";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { findModel } from "../../core/models/registry.ts";
import type { ModelChunk } from "../../core/ports/model-handler.ts";
import { type ModelServer, type ModelWire, startModelServer } from "../../testing/index.ts";
import { type AnyLanguageModel, asNewestModel } from "./older-models.ts";
import { toRequest } from "./prompt/to-request.ts";
import { byToolName } from "./prompt/tools.ts";
import { PROVIDERS } from "./provider-table.ts";
import { streamReply } from "./stream-reply.ts";

interface Connection {
  readonly baseURL: string;
  readonly apiKey: string;
}

interface Case {
  readonly provider: "anthropic" | "openai" | "google";
  readonly modelId: string;
  readonly wire: ModelWire;
  readonly older: readonly ((connection: Connection, modelId: string) => AnyLanguageModel)[];
}

const CASES: readonly Case[] = [
  {
    provider: "anthropic",
    modelId: "claude-haiku-4-5",
    wire: "anthropic",
    older: [(to, id) => anthropic5.createAnthropic(to)(id), (to, id) => anthropic6.createAnthropic(to)(id)],
  },
  {
    provider: "openai",
    modelId: "gpt-4o",
    wire: "openai",
    older: [(to, id) => openai5.createOpenAI(to).chat(id), (to, id) => openai6.createOpenAI(to).chat(id)],
  },
  {
    provider: "google",
    modelId: "gemini-2.5-flash",
    wire: "gemini",
    older: [(to, id) => google5.createGoogleGenerativeAI(to)(id), (to, id) => google6.createGoogleGenerativeAI(to)(id)],
  },
];

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { ...picture(1), source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;

const MESSAGES: readonly Message[] = log(
  user(text("Look at this"), image),
  assistant(text("I read it."), call("t1", "files.read", { path: "a.ts" }), call("t2", "files.read", { path: "b.ts" })),
  user({ ...result("t1"), content: [text("the screen"), image] }, { ...result("t2", "no such file"), is_error: true }),
);

const TOOLS = byToolName([
  {
    name: "files.read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
]);

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

async function ask(model: AnyLanguageModel, { provider, modelId }: Case): Promise<readonly ModelChunk[]> {
  const entry = findModel(modelId);
  const description = PROVIDERS[provider];
  if (description === undefined) throw new Error(provider);
  const request = {
    ...toRequest("Be brief.", MESSAGES, { provider: description, entry, tools: TOOLS }),
    maxOutputTokens: 500,
    temperature: 0,
  };
  const chunks: ModelChunk[] = [];
  const options = { request, pricing: { entry, isSelfHosted: false }, signal: undefined, tools: TOOLS };
  for await (const chunk of streamReply(asNewestModel(model), options)) chunks.push(chunk);
  return chunks;
}

describe.each(CASES)("packages for $provider", (each) => {
  const open = (create: Case["older"][number]) =>
    create({ baseURL: server.baseUrls[each.wire], apiKey: "sk-test-0123456789" }, each.modelId);
  const newest = () =>
    PROVIDERS[each.provider]?.open(each.modelId, {
      baseURL: server.baseUrls[each.wire],
      apiKey: "sk-test-0123456789",
      headers: {},
    });

  test.each(["v2", "v3"])("of models %s say and hear what the newest do", async (version) => {
    server.script(
      ...[0, 1].map(() => ({
        type: "tool-calls" as const,
        text: "Once more.",
        usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 40 },
        calls: [{ id: "call_1", name: "files_read", input: { path: "c.ts" } }],
      })),
    );
    const model = await newest();
    const older = open(each.older[version === "v2" ? 0 : 1] ?? (() => expect.unreachable()));
    if (model === undefined) return expect.unreachable();
    expect([model.specificationVersion, older.specificationVersion]).toEqual(["v4", version]);
    const said = await ask(model, each);
    const saidByOlder = await ask(older, each);
    // Gemini's packages make up the ids of calls.
    const withoutIds = (chunks: readonly ModelChunk[]) => chunks.map((chunk) => ({ ...chunk, id: undefined }));
    expect(withoutIds(saidByOlder)).toEqual(withoutIds(said));
    expect(said).toMatchObject([{ type: "text" }, { type: "tool_use", name: "files.read" }, { type: "usage" }]);
    expect(server.requests.map(({ outcome, refusal }) => refusal ?? outcome)).toEqual(["answered", "answered"]);
    const [body, olderBody] = server.requests.map((request) => JSON.stringify(request.body));
    const pieces = (sent = "") => sent.match(/Be brief|Look at this|the screen|no such file|Reads a file|iVBORw0KGgo/g);
    expect(pieces(olderBody)?.toSorted()).toEqual(pieces(body)?.toSorted());
  });
});

test("a model of a version that nobody knows is refused with what to install", () => {
  const model = JSON.parse('{ "specificationVersion": "v9" }');
  expect(() => asNewestModel(model)).toThrow(/models of version "v9". Install one that goes with AI SDK 5, 6 or 7/);
});
