/** Pictures and files that were folded for bytes, on every wire, against servers that refuse what the providers refuse. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropicAdapter } from "../../src/adapters/anthropic/index.ts";
import { geminiAdapter } from "../../src/adapters/gemini/index.ts";
import { openaiChatAdapter } from "../../src/adapters/openai-chat/index.ts";
import { openaiResponsesAdapter } from "../../src/adapters/openai-responses/index.ts";
import type { WireAdapter } from "../../src/core/ports/wire-adapter.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { checkResponsesInput } from "../support/check-responses-input.ts";
import { openSession } from "../support/sessions.ts";
import { numberedLog, wireParts } from "../support/wire-parts.ts";

const STEPS = 6;
const DATA = "QUJD".repeat(2_500);
const DATA_URL = `data:image/png;base64,${DATA}`;
const PDF = "SkRG".repeat(2_500);

const steps = <Item>(build: (index: number) => readonly Item[]) =>
  Array.from({ length: STEPS }, (_, index) => build(index)).flat();

interface WireCase {
  readonly adapter: WireAdapter;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** What the wire calls an image. */
  readonly imageMark: string;
}

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: DATA } };
const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } };

const ANTHROPIC: WireCase = {
  adapter: anthropicAdapter,
  path: "/v1/messages",
  headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
  imageMark: '"type":"image"',
  body: {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    tools: [{ name: "look", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "See both:" }, image, document] },
      { role: "assistant", content: "Seen." },
      { role: "user", content: "Now click." },
      ...steps((index) => [
        { role: "assistant", content: [{ type: "tool_use", id: `toolu_${index}`, name: "look", input: { index } }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: `toolu_${index}`,
              content: [
                { type: "text", text: `Screen ${index}:` },
                { ...image, ...(index === 1 ? { cache_control: { type: "ephemeral" } } : {}) },
              ],
            },
          ],
        },
      ]),
    ],
  },
};

const CHAT: WireCase = {
  adapter: openaiChatAdapter,
  path: "/v1/chat/completions",
  headers: { authorization: "Bearer k" },
  imageMark: '"type":"image_url"',
  body: {
    model: "gpt-4o",
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    messages: [
      { role: "system", content: "You click." },
      {
        role: "user",
        content: [
          { type: "text", text: "See both:" },
          { type: "image_url", image_url: { url: DATA_URL, detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
        ],
      },
      { role: "assistant", content: "Seen." },
      { role: "user", content: "Now click." },
      // Results are texts on this wire: agents send the picture as a user's message behind them.
      ...steps((index) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `call_${index}`, type: "function", function: { name: "look", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: `call_${index}`, content: `Screen ${index} below.` },
        {
          role: "user",
          content: [
            { type: "text", text: `Screen ${index}:` },
            { type: "image_url", image_url: { url: DATA_URL } },
          ],
        },
      ]),
    ],
  },
};

const RESPONSES: WireCase = {
  adapter: openaiResponsesAdapter,
  path: "/v1/responses",
  headers: {},
  imageMark: '"type":"input_image"',
  body: {
    model: "gpt-5",
    store: false,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "See both:" },
          { type: "input_image", image_url: DATA_URL },
          { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
        ],
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Seen." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Now click." }] },
      ...steps((index) => [
        { type: "function_call", call_id: `call_${index}`, name: "look", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: `call_${index}`,
          output: [
            { type: "input_text", text: `Screen ${index}:` },
            { type: "input_image", image_url: DATA_URL },
          ],
        },
      ]),
    ],
  },
};

const inlineImage = { inlineData: { mimeType: "image/png", data: DATA } };

const GEMINI: WireCase = {
  adapter: geminiAdapter,
  path: "/v1beta/models/gemini-2.5-flash:generateContent",
  headers: { "x-goog-api-key": "k" },
  imageMark: '"image/png","data"',
  body: {
    tools: [{ functionDeclarations: [{ name: "look", parameters: { type: "OBJECT" } }] }],
    contents: [
      {
        role: "user",
        parts: [{ text: "See both:" }, inlineImage, { inlineData: { mimeType: "application/pdf", data: PDF } }],
      },
      { role: "model", parts: [{ text: "Seen." }] },
      { role: "user", parts: [{ text: "Now click." }] },
      ...steps((index) => [
        { role: "model", parts: [{ functionCall: { name: "look", args: { index } } }] },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "look", response: { output: `Screen ${index}:` }, parts: [inlineImage] } },
          ],
        },
      ]),
    ],
  },
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ reply: () => ({ type: "text", text: "ok" }) });
});
afterAll(() => server.close());

/** Why the provider would refuse the body; undefined where it takes it. */
async function refusalOf({ adapter, path, headers }: WireCase, body: string): Promise<string | undefined> {
  // The scripted server does not speak this wire.
  if (adapter.name === "openai-responses") return checkResponsesInput(body)[0];
  const response = await fetch(new URL(path, server.url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const answer = await response.text();
  return response.ok ? undefined : answer;
}

/** The request with its view folded to these bytes, and back on the wire. */
async function foldedBody({ adapter, path, body }: WireCase, maxViewBytes: number) {
  const raw = { path, body: JSON.stringify(body) };
  const request = adapter.readRequest(raw);
  if (request === undefined) throw new Error("The adapter does not know the request.");
  const { session } = await openSession({ contextWindow: 200_000 }, { messages: numberedLog(request.messages) });
  const { report } = await session.prepare({ maxViewBytes });
  const rewrite = async () => adapter.writeRequest(request, wireParts(await session.log()));
  return { raw, report, session, written: await rewrite(), rewrite };
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe.each([ANTHROPIC, CHAT, RESPONSES, GEMINI])("$adapter.name", (wire) => {
  test("the request as it is, is accepted", async () => {
    expect(await refusalOf(wire, JSON.stringify(wire.body))).toBeUndefined();
  });

  test("old pictures and files become notes, newest pictures and all text stay, and the request is accepted", async () => {
    const { written, report, raw } = await foldedBody(wire, 70_000);
    expect(report.warnings).toEqual([]);
    expect(await refusalOf(wire, written)).toBeUndefined();
    expect(written.length).toBeLessThan(55_000);
    expect(count(written, wire.imageMark)).toBeLessThan(count(raw.body, wire.imageMark));
    expect(count(written, wire.imageMark)).toBeGreaterThan(1);
    expect(written).not.toContain(PDF);
    expect(written).toContain("application/pdf of 7,500 bytes hidden in fold clear-");
    expect(written).toContain("[image/png of 7,500 bytes hidden in fold clear-");
    for (const text of ["See both:", ...steps((index) => [`Screen ${index}`])]) expect(written).toContain(text);
  });

  test("also with every picture gone, also those in results", async () => {
    const { written } = await foldedBody(wire, 12_000);
    expect(await refusalOf(wire, written)).toBeUndefined();
    expect(written).not.toContain(DATA);
    for (const text of ["See both:", ...steps((index) => [`Screen ${index}`])]) expect(written).toContain(text);
  });

  test("restored, it is the same bytes as it came", async () => {
    const { raw, report, session, rewrite } = await foldedBody(wire, 12_000);
    for (const foldId of report.foldIds) await session.restore(foldId);
    expect(await rewrite()).toBe(raw.body);
  });
});
