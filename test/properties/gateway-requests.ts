/** Requests as agents make them, with what must come out of a gateway unchanged. */

import type { AgentRequest } from "../../src/gateway/turn.ts";
import { receive } from "../../src/testing/model-server/decide.ts";
import type { KnownWire } from "../support/known-wires.ts";
import { type Form, itemsOf, type Talk } from "./gateway-talk.ts";

export interface MadeRequest {
  readonly request: AgentRequest;
  /** As text. */
  readonly body: string;
  /** The JSON of each item of the conversation, in order. */
  readonly itemTexts: readonly string[];
  /** What stands around the conversation. */
  readonly before: string;
  readonly behind: string;
}

export interface RequestPlan {
  readonly wire: KnownWire;
  readonly talk: Talk;
  readonly form: Form;
  readonly isOtherModel: boolean;
  readonly hasTools: boolean;
  readonly isCount: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The agent's session, where the body names it. */
  readonly bodySession: string | undefined;
}

const MODELS: Readonly<Record<KnownWire, readonly [string, string]>> = {
  anthropic: ["claude-sonnet-4-5", "claude-opus-4-5"],
  "openai-chat": ["gpt-4.1", "gpt-4o"],
  "openai-responses": ["gpt-5-codex", "gpt-5"],
  gemini: ["gemini-2.5-pro", "gemini-2.5-flash"],
};
const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
const SYSTEM = "You are an agent that reads files.";

export function makeRequest(plan: RequestPlan): MadeRequest {
  const { wire, headers, isCount, isOtherModel } = plan;
  const model = MODELS[wire][isOtherModel ? 1 : 0];
  const itemTexts = itemsOf(wire, plan.talk, plan.form).map((item) => JSON.stringify(item));
  const { field, first, last, path } = surroundings(plan, model);
  const before = `{${first.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)},`).join("")}"${field}":[`;
  const behind = `]${last.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join("")}}`;
  const own = wire === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  const body = `${before}${itemTexts.join(",")}${behind}`;
  const request = { api: wire, path: isCount ? countPath(wire, model) : path, headers: { ...own, ...headers } };
  return {
    request: { ...request, body: Buffer.from(body), upstream: "http://upstream.test" },
    body,
    itemTexts,
    before,
    behind,
  };
}

type Field = readonly [name: string, value: unknown];

interface Surroundings {
  readonly field: string;
  readonly first: readonly Field[];
  readonly last: readonly Field[];
  readonly path: string;
}

function surroundings({ wire, hasTools, isCount, bodySession }: RequestPlan, model: string): Surroundings {
  const cacheKey: readonly Field[] = bodySession === undefined ? [] : [["prompt_cache_key", bodySession]];
  const tools = (list: readonly unknown[]): readonly Field[] => (hasTools ? [["tools", list]] : []);
  const description = "Reads a file";
  switch (wire) {
    case "anthropic": {
      const size: readonly Field[] = isCount ? [] : [["max_tokens", 1_000]];
      const userId = { user_id: JSON.stringify({ session_id: bodySession }) };
      const session: readonly Field[] = bodySession === undefined ? [] : [["metadata", userId]];
      const list = [{ name: "read", description, input_schema: SCHEMA }];
      const first: readonly Field[] = [["model", model], ...size, ["system", SYSTEM], ...tools(list)];
      return { field: "messages", first, last: session, path: "/v1/messages" };
    }
    case "openai-chat": {
      const list = [{ type: "function", function: { name: "read", description, parameters: SCHEMA } }];
      return {
        field: "messages",
        first: [["model", model], ...cacheKey],
        last: [...tools(list), ["max_completion_tokens", 1_000]],
        path: "/v1/chat/completions",
      };
    }
    case "openai-responses": {
      const list = [{ type: "function", name: "read", description, parameters: SCHEMA, strict: false }];
      return {
        field: "input",
        first: [["model", model], ["instructions", SYSTEM], ...tools(list)],
        last: [["store", false], ...cacheKey, ["max_output_tokens", 1_000]],
        path: "/v1/responses",
      };
    }
    case "gemini": {
      const list = [{ functionDeclarations: [{ name: "read", description, parameters: SCHEMA }] }];
      return {
        field: "contents",
        first: isCount ? [] : [["systemInstruction", { parts: [{ text: SYSTEM }] }]],
        last: [...tools(list), ...(isCount ? [] : [["generationConfig", { maxOutputTokens: 1_000 }] as const])],
        path: `/v1beta/models/${model}:generateContent`,
      };
    }
  }
}

function countPath(wire: KnownWire, model: string): string {
  return wire === "gemini" ? `/v1beta/models/${model}:countTokens` : "/v1/messages/count_tokens";
}

/** How a strict server takes a body in place of the request's own. */
export function judge(
  { request }: MadeRequest,
  body: string,
): { readonly fault: string; readonly promptTokens: number } {
  const url = new URL(request.path, request.upstream);
  const raw = { method: "POST", path: request.path, url, headers: request.headers };
  const settings = { apiKey: undefined, models: undefined, contextWindowOf: () => 1e9, maxBodyBytes: 1e9 };
  const received = receive({ ...raw, body: { type: "text", text: body } }, settings);
  if (received === undefined) throw new Error(`No wire has the path ${request.path}.`);
  return { fault: received.refusal?.message ?? "", promptTokens: received.request.promptTokens };
}
