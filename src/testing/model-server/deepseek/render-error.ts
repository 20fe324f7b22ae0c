import type { JsonObject } from "../json.ts";
import type { Refusal } from "../wire-protocol.ts";

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "unknown_error",
  429: "rate_limit_error",
  500: "server_error",
  503: "service_unavailable_error",
};

export function renderError({ status, message, type }: Refusal): JsonObject {
  const code = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type: type ?? TYPES[status] ?? code, param: null, code } };
}
