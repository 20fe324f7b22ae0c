import type { CacheDiagnosis } from "../api/types.ts";
import { counted, wholeNumber } from "./format.ts";

type Reported = NonNullable<CacheDiagnosis["provider"]>;
type Predicted = NonNullable<CacheDiagnosis["predicted"]>;

/** The reasons that Anthropic and OpenAI document; another one is shown as the provider wrote it. */
const REASONS: Readonly<Record<string, string>> = {
  model_changed: "another model was asked",
  system_changed: "the system prompt changed",
  tools_changed: "the tools changed",
  messages_changed: "an earlier message changed",
};

/** What the provider says of a cache miss. */
export function reportedMissText({ reason, missedTokens }: Reported): string {
  const words = Object.hasOwn(REASONS, reason) ? `${REASONS[reason]} (${reason})` : reason;
  return missedTokens === undefined ? words : `${words}, and about ${counted(missedTokens, "token")} were missed by it`;
}

const PARTS: Readonly<Record<Predicted["part"], string>> = {
  model: "in the name of the model",
  tools: "in the tools",
  system: "in the system prompt",
  messages: "in a message",
};
const CHANGED_BY: Readonly<Record<Predicted["cause"], string>> = {
  agent: "changed by the agent",
  gateway: "changed by a fold of ours",
};

/** What we say of it: the first byte that a cache cannot read past. */
export function predictedMissText(predicted: Predicted | undefined): string {
  if (predicted === undefined) return "none: nothing changed but at the end";
  const { part, byte, cause } = predicted;
  return `byte ${wholeNumber(byte)}, ${PARTS[part]}, ${CHANGED_BY[cause]}`;
}
