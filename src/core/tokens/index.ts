/** Counting tokens: exact, compatible, estimated, and cached per message. */

export {
  type AllowedTokensOptions,
  allowedTokens,
  DEFAULT_RESERVED_TOKENS,
  TOKEN_BUFFER_PERCENTAGE,
} from "./budget.ts";
export type { Calibration, MessagesSize, ModelCalibration, RawSize } from "./calibration.ts";
export { countContentTokens } from "./count-content.ts";
export { countMessagesTokens, countMessageTokens } from "./count-messages.ts";
export {
  estimateTokenCount,
  estimateTokenCountSync,
  TOKEN_FUDGE_FACTOR,
  type TokenCountingHandler,
  tiktoken,
} from "./estimate.ts";
export {
  type Anchor,
  anchor,
  createForecast,
  type ForecastOptions,
  type ForecastState,
  forecast,
  type Overhead,
  type ReportedUsage,
  rebase,
  type SentMessages,
} from "./forecast.ts";
export { countTextTokens } from "./o200k/count-text-tokens.ts";
