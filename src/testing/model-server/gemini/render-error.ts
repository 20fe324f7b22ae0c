import type { JsonObject } from "../json.ts";
import type { Refusal } from "../wire-protocol.ts";

const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export function renderError({ status, message }: Refusal): JsonObject {
  const name = STATUSES[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
  return { error: { code: status, message, status: name } };
}
