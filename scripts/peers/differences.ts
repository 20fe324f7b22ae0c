/** A failure of another project's test, as it is told. */
export interface PeerFailure {
  /** The path of the test's file. */
  readonly path: string;
  /** The first line of the error. */
  readonly error: string;
}

/** Why ours differs there on purpose; undefined where no reason is known. */
export function reasonFor({ path, error }: PeerFailure): string | undefined {
  return DIFFERENCES.find((known) => known.path.test(path) && known.error.test(error))?.reason;
}

interface Difference {
  readonly path: RegExp;
  /** What the error says, so that another failure of the same test is seen. */
  readonly error: RegExp;
  readonly reason: string;
}

const DIFFERENCES: readonly Difference[] = [
  {
    path: /chatCompressionService/,
    error: /COMPRESSION_FAILED_MODEL_ERROR' to be 'COMPRESS|^expected null not to be null$/,
    reason: "a reply without the five parts of a snapshot is refused: a memory with a part missing is worse than none",
  },
  {
    path: /chatCompressionService/,
    error: /to contain '(?:A previous <state_snapshot>|### APPROVED PLAN)/,
    reason:
      "words of the prompt: ours asks for the same in others, and an approved plan stays by itself, word for word",
  },
  {
    path: /chatCompressionService/,
    error: /'Fraction must be between/,
    reason: "words of an error: ours names the value, too",
  },
  {
    path: /chatCompressionService/,
    error: /^modelStringToModelConfigAlias is not a function$/,
    reason: "a name of their configuration: here the option compressionModels maps models",
  },
  {
    path: /tokenCalculation/,
    error: /^expected (?:3000 to be 100|25800 to be 5160) |^expected "vi\.fn\(\)" to be called/,
    reason: "media are counted without asking the provider; countHistory and a handler's countTokens may ask",
  },
  {
    path: /tokenCalculation/,
    error: /^expected \d+ to be less than 30$/,
    reason: "what is nested is counted at any depth",
  },
  {
    path: /tokenCalculation/,
    error: /^expected 3 to be 4 /,
    reason: "the weights of characters are fixed; another rate is a countTokens of one's own",
  },
  {
    path: /tokenLimits/,
    error: /^expected 200000 to be 1048576 /,
    reason:
      "an unknown model has 200,000 tokens, unless its name is Gemini's: a window that is too large loses the request",
  },
  {
    path: /core\/(?:context-management|message-manager)\//,
    error: /^expected "(?:summarizeConversation|cleanupAfterTruncation)" to be called/,
    reason: "a double of an inner function: ours do not call each other through a module that a test could replace",
  },
  {
    path: /core\/message-manager\//,
    error: /'Message with timestamp/,
    reason: "words of an error: ours name the time, too",
  },
  {
    path: /core\/message-manager\//,
    error: /^expected "vi\.fn\(\)" to be called/,
    reason: "only what changed is written",
  },
  {
    path: /core\/context-management\//,
    error: /'Sliding window truncation/,
    reason: "words of the marker: ours name the fold, so that it can be brought back",
  },
];
