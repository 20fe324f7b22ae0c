/** What Gemini CLI's tests replace around its service: none of it has a counterpart here. */

/** The opening of a conversation, which says where the agent works. */
export async function getInitialChatHistory(_config: unknown, extra: readonly unknown[] = []): Promise<unknown[]> {
  return [...extra];
}
