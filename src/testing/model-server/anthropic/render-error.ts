import type { JsonObject } from "../json.ts";
import type { Refusal } from "../wire-protocol.ts";

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function renderError({ status, message, type }: Refusal): JsonObject {
  const byStatus = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type: type ?? byStatus, message }, request_id: null };
}
