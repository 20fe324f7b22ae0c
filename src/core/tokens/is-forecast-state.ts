import { fieldAt } from "../json/read-json.ts";
import type { ForecastState } from "./forecast.ts";

/** Whether a value, such as one read from a store, is a usable {@link ForecastState}. */
export function isForecastState(value: unknown): value is ForecastState {
  const [overhead, anchor] = [fieldAt(value, "overhead"), fieldAt(value, "anchor")];
  const counts = [
    fieldAt(overhead, "type") === "counted" ? fieldAt(overhead, "tokens") : fieldAt(overhead, "promptTokens"),
    ...(fieldAt(overhead, "type") === "measured" ? sizesOf(fieldAt(overhead, "messages")) : []),
    ...(anchor === undefined ? [] : [fieldAt(anchor, "promptTokens"), fieldAt(anchor, "replyTokens") ?? 0]),
  ];
  return counts.every(isCount) && CALIBRATED.every((path) => isNumber(fieldAt(value, "calibration", ...path)));
}

const CALIBRATED = /* @__PURE__ */ ["input", "reply"].flatMap((part) => [
  ...["ratio", "perBlock", "doubted"].map((name) => [part, name]),
  ...["ratio", "perBlock", "both"].map((name) => [part, "variance", name]),
]);

function sizesOf(messages: unknown): readonly unknown[] {
  return ["input", "reply"].flatMap((part) => ["tokens", "blocks"].map((name) => fieldAt(messages, part, name)));
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return isNumber(value) && Number(value) >= 0;
}
