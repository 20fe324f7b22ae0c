import type { JsonObject } from "../json.ts";
import type { Refusal } from "../wire-protocol.ts";

export function renderError({ status, message, type, code, parameter }: Refusal): JsonObject {
  return {
    error: {
      message,
      type: type ?? typeOf(status),
      param: parameter ?? null,
      code: code ?? (status === 429 ? "rate_limit_exceeded" : null),
    },
  };
}

function typeOf(status: number): string {
  if (status === 429) return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
