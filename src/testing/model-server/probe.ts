import type { IncomingHttpHeaders } from "node:http";
import type { JsonResponse } from "./http.ts";
import type { JsonObject } from "./json.ts";
import { headerOf } from "./wire-protocol.ts";

export interface Probe {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly models: readonly string[] | undefined;
}

// constants: the same probe gets the same bytes in every run
const CREATED_SECONDS = 1_700_000_000;
const CREATED_AT = "2023-11-14T22:13:20Z";

const DEFAULT_MODELS = {
  anthropic: ["claude-sonnet-4-5", "claude-haiku-4-5"],
  openai: ["gpt-5", "gpt-4.1"],
  gemini: ["gemini-2.5-pro", "gemini-2.5-flash"],
  deepseek: ["deepseek-chat", "deepseek-reasoner"],
} as const satisfies Record<string, readonly string[]>;

const LIST_PATH = /^\/(v1|v1beta|deepseek|deepseek\/v1)\/models(?:\/([^/:]+))?$/;

/**
 * Answers what agents ask before they start: whether the server is there, and which models it has. A probe needs no key and is
 * not recorded as a model request.
 */
export function answerProbe({ method, url, headers, models }: Probe): JsonResponse | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (url.pathname === "/") return { status: 200, body: {} };
  const [, root, modelId] = LIST_PATH.exec(url.pathname) ?? [];
  if (root === undefined) return undefined;
  const shape = shapeOf(root, headers);
  const known = models ?? DEFAULT_MODELS[shape];
  if (modelId === undefined) return { status: 200, body: renderList(shape, known) };
  const name = decodeURIComponent(modelId);
  return known.includes(name) ? { status: 200, body: renderModel(shape, name) } : undefined;
}

type Shape = keyof typeof DEFAULT_MODELS;

function shapeOf(root: string, headers: IncomingHttpHeaders): Shape {
  if (root === "v1beta") return "gemini";
  if (root !== "v1") return "deepseek";
  return headerOf(headers, "anthropic-version") === "" ? "openai" : "anthropic";
}

function renderList(shape: Shape, models: readonly string[]): JsonObject {
  const data = models.map((name) => renderModel(shape, name));
  switch (shape) {
    case "gemini":
      return { models: data };
    case "anthropic":
      return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
    case "openai":
    case "deepseek":
      return { object: "list", data };
  }
}

function renderModel(shape: Shape, name: string): JsonObject {
  switch (shape) {
    case "gemini":
      return {
        name: `models/${name}`,
        displayName: name,
        supportedGenerationMethods: ["generateContent", "countTokens"],
      };
    case "anthropic":
      return { type: "model", id: name, display_name: name, created_at: CREATED_AT };
    case "openai":
    case "deepseek":
      return { id: name, object: "model", created: CREATED_SECONDS, owned_by: "palimpsest" };
  }
}
