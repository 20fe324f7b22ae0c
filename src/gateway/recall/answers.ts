import type { RecallCall, RecallResult } from "../../core/ports/wire-recall.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { recallTool } from "../../engine/recall/recall-tool.ts";
import type { Conversation } from "../sessions/session-pool.ts";

export interface AnswersOptions {
  /** By how many tokens the prompt may still grow. */
  readonly roomTokens: number;
  /** The conversation that the request belongs to; resolves when the request is in its log. */
  readonly conversation: () => Promise<Conversation | undefined>;
  readonly incident: (what: string, error: unknown) => void;
}

/** Answers calls of the recall tool with results that fit into the room of the prompt. */
export interface Answers {
  to(calls: readonly RecallCall[], options: { readonly isEnough: boolean }): Promise<readonly RecallResult[]>;
  /** Subtracts tokens from the room, for other content of the prompt. */
  useRoom(tokens: number): void;
}

const ENOUGH = "Enough was recalled for this turn. Go on with what you have.";
export const NO_ROOM = "There is no room left to show more. Go on with what you have.";
const FAILED = "What is hidden cannot be read at the moment. Go on without it.";
const [MOST_ANSWER_TOKENS, LEAST_ANSWER_TOKENS] = [4_000, 300];

export function createAnswers({ roomTokens, conversation, incident }: AnswersOptions): Answers {
  let leftTokens = roomTokens;

  async function textFor(input: unknown, budgetTokens: number): Promise<string> {
    if (budgetTokens < LEAST_ANSWER_TOKENS) return NO_ROOM;
    try {
      const asked = await conversation();
      if (asked === undefined) return FAILED;
      return await recallTool(await asked.session(), { budgetTokens }).execute(input);
    } catch (error) {
      incident("recall", error);
      return FAILED;
    }
  }

  return {
    to: async (calls, { isEnough }) => {
      const results: RecallResult[] = [];
      for (const { id, input } of calls) {
        const budgetTokens = Math.min(MOST_ANSWER_TOKENS, Math.floor(leftTokens / (calls.length - results.length)));
        const text = isEnough ? ENOUGH : await textFor(input, budgetTokens);
        leftTokens -= countTextTokens(text);
        results.push({ id, text });
      }
      return results;
    },
    useRoom: (tokens) => {
      leftTokens -= tokens;
    },
  };
}
