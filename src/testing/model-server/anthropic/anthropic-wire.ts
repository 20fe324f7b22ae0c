import { isJsonObject, stringOf } from "../json.ts";
import { countPromptTokens, promptBlocks } from "../prompt.ts";
import { bearerOf, headerOf, refuse, type WireProtocol } from "../wire-protocol.ts";
import { managePrompt } from "./manage-prompt.ts";
import { messageId, renderReply } from "./render-reply.ts";
import { renderError, renderFailure, renderStream, SIGN_OF_LIFE } from "./render-stream.ts";
import { findFaults } from "./validate.ts";

const PATH = "/v1/messages";

/** Anthropic's Messages API, with its count of tokens. */
export const anthropicWire: WireProtocol = {
  wire: "anthropic",
  readTarget({ pathname }, body) {
    if (pathname !== PATH && pathname !== `${PATH}/count_tokens`) return undefined;
    const operation = pathname === PATH ? "generate" : "count-tokens";
    const isStreaming = operation === "generate" && body.stream === true;
    return { operation, modelId: stringOf(body.model), isStreaming, framing: "events" };
  },
  readKey: ({ headers }) => headerOf(headers, "x-api-key") || bearerOf(headers),
  replyId: messageId,
  comparedReply: ({ diagnostics }) => {
    if (!isJsonObject(diagnostics)) return undefined;
    const { previous_message_id: id } = diagnostics;
    return typeof id === "string" ? id : null;
  },
  manage: managePrompt,
  findFaults,
  wrongKey: refuse("invalid x-api-key", { status: 401 }),
  brokenJson: refuse("The request body is not valid JSON"),
  renderError,
  renderFailure,
  renderSignOfLife: () => SIGN_OF_LIFE,
  renderReply,
  renderStream,
  renderCount: (tokens, { body, managed }) => ({
    input_tokens: tokens,
    ...(managed.appliedEdits.length > 0 && {
      context_management: { original_input_tokens: countPromptTokens(promptBlocks(body)) },
    }),
  }),
};
