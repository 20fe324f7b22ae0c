import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { user } from "../../../test/support/messages.ts";
import { CONDENSE_DEFAULTS } from "../../core/models/condense-defaults.ts";
import { createModelRegistry, findModel } from "../../core/models/registry.ts";
import { createCondensingHandler } from "./create-model-handler.ts";
import { createModelHandler, type ModelHandlerOptions } from "./index.ts";

const KEY = "sk-test-0123456789";
const NO_ENVIRONMENT = { environment: {} };

function refusal(options: string | ModelHandlerOptions) {
  try {
    createModelHandler(options);
  } catch (error) {
    return error;
  }
  throw new Error("It was accepted.");
}

describe("createModelHandler refuses, with the fix,", () => {
  test.each(["", "claude-haiku-4-5", "/claude", "anthropic/"])(
    "the model %j, which names no provider and model",
    (model) => {
      expect(refusal({ model, ...NO_ENVIRONMENT })).toMatchObject({
        code: "invalid-argument",
        message: expect.stringMatching(
          /"provider\/model".*anthropic, openai, google, deepseek, openai-compatible, ollama/,
        ),
      });
    },
  );

  test("the address under the name that other clients give it, as it would not be used", () => {
    const options = { model: "anthropic/claude-haiku-4-5", apiKey: KEY, baseURL: "http://127.0.0.1:1" };
    expect(refusal(options)).toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^options\.baseURL is not an option\. .*baseUrl/),
    });
  });

  test.each(["antropic/claude", "constructor/x", "__proto__/x"])("the unknown provider of %j", (model) => {
    expect(refusal({ model, ...NO_ENVIRONMENT })).toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/it must be one of anthropic, openai, .*vllm/),
    });
  });

  test.each([
    ["anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY"],
    ["openai/gpt-5-mini", "OPENAI_API_KEY"],
    ["google/gemini-2.5-flash", "GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY"],
    ["deepseek/deepseek-chat", "DEEPSEEK_API_KEY"],
  ])("%s without a key, and names %s", (model, variables) => {
    expect(refusal({ model, environment: { OTHER_KEY: KEY } })).toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(`Set ${variables}, or pass apiKey.`),
    });
    expect(refusal({ model, environment: {}, apiKey: " \n" })).toMatchObject({ code: "invalid-argument" });
  });

  test("a compatible server without its address", () => {
    expect(refusal({ model: "openai-compatible/my-model", ...NO_ENVIRONMENT })).toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("Pass baseUrl"),
    });
  });

  test.each(["localhost:8000", "ftp://example.test", "not a url"])("the address %j", (baseUrl) => {
    expect(refusal({ model: "vllm/m", baseUrl, ...NO_ENVIRONMENT })).toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("it must be an http or https URL"),
    });
  });

  test("a password in the address, without repeating it", () => {
    const error = refusal({ model: "vllm/m", baseUrl: "http://me:hunter22@127.0.0.1/v1", ...NO_ENVIRONMENT });
    expect(error).toMatchObject({ code: "invalid-argument" });
    expect(String(error)).not.toContain("hunter22");
  });

  test.each([{ maxRetries: -1 }, { maxRetries: Number.NaN }, { retryDelayMs: -1 }])("%j", (wrong) => {
    expect(refusal({ model: "ollama/llama3.1", ...NO_ENVIRONMENT, ...wrong })).toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("a number of at least 0"),
    });
  });
});

describe("getModel", () => {
  test("tells what the registry knows", () => {
    const { contextWindow, outputLimitTokens } = findModel("claude-haiku-4-5");
    expect(createModelHandler({ model: "anthropic/claude-haiku-4-5", apiKey: KEY }).getModel()).toEqual({
      id: "claude-haiku-4-5",
      info: { contextWindow, maxTokens: outputLimitTokens, supportsImages: true },
    });
  });

  test("asks the user's registry where there is one", () => {
    const registry = createModelRegistry([{ ...findModel("llama"), id: "house-model", contextWindow: 32_000 }]);
    expect(createModelHandler({ model: "vllm/lab/house-model", registry, ...NO_ENVIRONMENT }).getModel()).toMatchObject(
      {
        id: "lab/house-model",
        info: { contextWindow: 32_000 },
      },
    );
  });

  test("claims nothing about a model that nobody knows", () => {
    expect(createModelHandler({ model: "vllm/private-thing", ...NO_ENVIRONMENT }).getModel()).toEqual({
      id: "private-thing",
    });
  });
});

describe("the request goes", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** What is sent first; nothing leaves the process. */
  async function firstRequest(options: ModelHandlerOptions) {
    const sent: { url: string; headers: Headers }[] = [];
    const fetch = async (url: string | URL | Request, init?: RequestInit) => {
      sent.push({ url: String(url), headers: new Headers(init?.headers) });
      return new Response("{}", { status: 400 });
    };
    const handler = createModelHandler({ ...options, fetch });
    const reply = handler.createMessage("", [user("hello")])[Symbol.asyncIterator]();
    await expect(reply.next()).rejects.toThrow("400");
    expect(sent).toHaveLength(1);
    return sent[0];
  }

  test.each([
    ["anthropic/claude-haiku-4-5", "https://api.anthropic.com/v1/messages"],
    ["openai/gpt-5-mini", "https://api.openai.com/v1/chat/completions"],
    [
      "google/gemini-2.5-flash",
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ],
    ["deepseek/deepseek-chat", "https://api.deepseek.com/chat/completions"],
    ["ollama/llama3.1", "http://127.0.0.1:11434/v1/chat/completions"],
    ["lmstudio/qwen3", "http://127.0.0.1:1234/v1/chat/completions"],
    ["vllm/meta-llama/Llama-3.1-8B", "http://127.0.0.1:8000/v1/chat/completions"],
  ])("for %s to %s, whatever base URL the environment of an agent names", async (model, url) => {
    for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) vi.stubEnv(name, "http://127.0.0.1:9/elsewhere");
    expect(await firstRequest({ model, apiKey: KEY })).toMatchObject({ url });
  });

  test.each([
    ["anthropic/claude-haiku-4-5", { ANTHROPIC_API_KEY: KEY }, "x-api-key", KEY],
    ["openai/gpt-5-mini", { OPENAI_API_KEY: `${KEY}\n` }, "authorization", `Bearer ${KEY}`],
    ["google/gemini-2.5-flash", { GEMINI_API_KEY: KEY }, "x-goog-api-key", KEY],
    ["google/gemini-2.5-flash", { GOOGLE_GENERATIVE_AI_API_KEY: KEY, GEMINI_API_KEY: "x" }, "x-goog-api-key", KEY],
    ["deepseek/deepseek-chat", { DEEPSEEK_API_KEY: KEY }, "authorization", `Bearer ${KEY}`],
    ["ollama/llama3.1", {}, "authorization", null],
    ["vllm/m", { VLLM_API_KEY: KEY }, "authorization", `Bearer ${KEY}`],
  ])("for %s with the key of %o", async (model, environment, header, value) => {
    const request = await firstRequest({ model, environment });
    expect(request?.headers.get(header)).toBe(value);
  });

  test("with the user's headers, and with the user's key before the environment's", async () => {
    const environment = { OPENAI_API_KEY: "from-the-environment" };
    const request = await firstRequest({
      model: "openai/gpt-5",
      environment,
      apiKey: KEY,
      headers: { "x-team": "tide" },
    });
    expect(request?.headers.get("x-team")).toBe("tide");
    expect(request?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  });
});

describe("without the provider packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-providers-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("the module loads, and the first request names the package to install", () => {
    const src = resolve(import.meta.dirname, "../..");
    for (const part of ["core", "providers"]) cpSync(join(src, part), join(folder, "src", part), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const names = ["anthropic", "openai", "google", "deepseek", "ollama"];
    writeFileSync(
      join(folder, "ask.ts"),
      `import { createModelHandler } from "./src/providers/ai-sdk/index.ts";
       for (const name of ${JSON.stringify(names)}) {
         const handler = createModelHandler({ model: name + "/m", apiKey: "k" });
         try { await Array.fromAsync(handler.createMessage("", [{ role: "user", content: "hello" }])); }
         catch (error) { console.log(error.code, error.message); }
       }`,
    );
    const output = execFileSync(process.execPath, [join(folder, "ask.ts")], { encoding: "utf8" });
    expect(output.trim().split("\n")).toEqual(
      ["anthropic", "openai", "google", "deepseek", "openai-compatible"].map(
        (name) => `missing-package @ai-sdk/${name} is not installed. Run: npm install @ai-sdk/${name}`,
      ),
    );
  });
});

const idFor = (model: string) => createCondensingHandler({ model, apiKey: "any" }).getModel().id;

test("a sonnet's conversations are condensed by a haiku of the same provider", () => {
  expect(idFor("anthropic/claude-sonnet-4-5")).toBe(CONDENSE_DEFAULTS.sonnet.condenseWith.modelId);
  expect(idFor("anthropic/claude-sonnet-4-5")).toMatch(/haiku/);
});

test("those of a gpt-4-turbo by a small model of its family", () => {
  expect(idFor("openai/gpt-4-turbo")).toBe("gpt-4o-mini");
});

test.each([
  "anthropic/claude-opus-4-5",
  "anthropic/claude-haiku-4-5",
  "openai/gpt-3.5-turbo",
  "deepseek/deepseek-chat",
])("%s condenses its own", (model) => {
  expect(idFor(model)).toBe(model.split("/")[1]);
});

describe("a server whose models we do not know", () => {
  const baseUrl = "https://router.example/v1";

  test.each(["openai-compatible/anthropic/claude-sonnet-4.5", "openai-compatible/gpt-4o", "vllm/claude-sonnet-4-5"])(
    "condenses with the model that it is known to have: %s",
    (model) => {
      const { id } = createCondensingHandler({ model, baseUrl }).getModel();
      expect(id).toBe(model.slice(model.indexOf("/") + 1));
    },
  );

  test("condenses with another one where the user's registry names it", () => {
    const condense = { ...CONDENSE_DEFAULTS.other, condenseWith: { type: "model", modelId: "small" } } as const;
    const registry = createModelRegistry([{ ...findModel("gpt-4o"), id: "large", condense }]);
    const handler = createCondensingHandler({ model: "openai-compatible/large", baseUrl, registry });
    expect(handler.getModel().id).toBe("small");
  });
});

test("what is no model is refused as by createModelHandler", () => {
  expect(() => createCondensingHandler("sonnet")).toThrow(/provider/);
  expect(() => createCondensingHandler({ model: "anthropic/claude-sonnet-4-5", environment: {} })).toThrow(
    /ANTHROPIC_API_KEY/,
  );
});
