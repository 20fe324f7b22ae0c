/** Roo Code's names over `palimpsest/compat`, in the form in which its own tests call them: for its modules of contexts, condensing and rewinding. */
import { tiktoken as countWithFactor } from "../../src/compat/index.ts";
import type { Content } from "../../src/core/message/message.ts";

export {
  cleanupAfterTruncation,
  estimateTokenCount,
  getEffectiveApiHistory,
  getKeepMessagesWithToolBlocks,
  getMessagesSinceLastSummary,
  MAX_CONDENSE_THRESHOLD,
  MessageManager,
  MIN_CONDENSE_THRESHOLD,
  manageContext,
  N_MESSAGES_TO_KEEP,
  summarizeConversation,
  TOKEN_BUFFER_PERCENTAGE,
  truncateConversation,
  willManageContext,
} from "../../src/compat/index.ts";

/** Its counter is asynchronous. */
export async function tiktoken(content: Content): Promise<number> {
  return countWithFactor(content);
}
