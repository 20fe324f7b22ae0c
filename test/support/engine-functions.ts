/** Public functions that condense, or help with it: bad-engine-input.test.ts has their rows. */
export const ENGINE_FUNCTIONS: readonly string[] = [
  "ChatCompressionService",
  "createBareEngine",
  "createEngine",
  "createPluginRegistry",
  "createRecallIndex",
  "defaultValidators",
  "factSurvivalValidator",
  "getKeepMessagesWithToolBlocks",
  "getMessagesSinceLastSummary",
  "manageContext",
  "modelCondenser",
  "parseSnapshot",
  "renderRecall",
  "summarizeConversation",
  "summaryQualityValidator",
  "tokenValidator",
];
