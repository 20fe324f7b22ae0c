import type { DocumentFormat } from "../../core/transcript/transcript.ts";
import { findConversations, isOpenAiMessage, readFirst } from "./conversations.ts";

export { readOpenAiConversations } from "./conversations.ts";
export { openaiJsonlFormat } from "./read-lines.ts";
export { writeOpenAi } from "./write.ts";

/**
 * A list of messages as OpenAI's chat API has them: bare, as the `messages`, `traj`, `trajectory`, `history`, `conversation` or
 * `conversations` of a document, or of each item of a list. Of several conversations the first is read. Not carried: names of tools on results, the spacing of arguments.
 */
export const openaiFormat: DocumentFormat = {
  type: "document",
  name: "openai",
  detect(document) {
    const [first] = findConversations(document);
    return first !== undefined && isOpenAiMessage(first.records[0]);
  },
  read: (document) => readFirst(findConversations(document), "openai"),
};
