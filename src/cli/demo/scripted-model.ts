import type { Message } from "../../core/message/message.ts";
import type { ModelChunk, ModelHandler } from "../../core/ports/model-handler.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { keepNotes, notesIn } from "./notes/note.ts";
import { readRequest } from "./notes/read-request.ts";
import { takeNotes } from "./notes/take-notes.ts";
import { writeSnapshot, writeSummary } from "./notes/write-reply.ts";

/** What a model was asked so far, in requests and tokens. */
export interface ModelUse {
  readonly calls: number;
  readonly readTokens: number;
  readonly writtenTokens: number;
}

export interface ScriptedModel extends ModelHandler {
  used(): ModelUse;
}

export interface ScriptedModelOptions {
  readonly contextWindow: number;
  /** The longest reply. */
  readonly maxTokens: number;
}

/**
 * A condensing model for demonstrations: no network, no randomness. It reads each request that it is given and writes what
 * fixed rules pick out of it, in the form that the system prompt asks for; what it wrote before, it carries over.
 */
export function scriptedModel({ contextWindow, maxTokens }: ScriptedModelOptions): ScriptedModel {
  let use: ModelUse = { calls: 0, readTokens: 0, writtenTokens: 0 };
  return {
    getModel: () => ({ id: "scripted", info: { contextWindow, maxTokens, supportsImages: false } }),
    used: () => use,
    createMessage: async function* (systemPrompt, messages, call): AsyncGenerator<ModelChunk> {
      const text = reply(systemPrompt, messages, Math.min(maxTokens, call?.maxOutputTokens ?? maxTokens));
      const inputTokens = countTextTokens(systemPrompt) + countMessagesTokens(messages);
      const outputTokens = countTextTokens(text);
      use = {
        calls: use.calls + 1,
        readTokens: use.readTokens + inputTokens,
        writtenTokens: use.writtenTokens + outputTokens,
      };
      yield { type: "text", text };
      yield { type: "usage", inputTokens, outputTokens, totalCost: 0 };
    },
  };
}

/** The share of each kind of notes that is tried next, where all of them make too long a reply. */
const NEXT_SHARE = 0.8;
const LEAST_SHARE = 0.01;

function reply(systemPrompt: string, messages: readonly Message[], maxTokens: number): string {
  const request = readRequest(messages);
  const notes = [...notesIn(request.earlierSummary), ...takeNotes(request)];
  const write = systemPrompt.includes("<state_snapshot>") ? writeSnapshot : writeSummary;
  let text = write(keepNotes(notes));
  for (let share = NEXT_SHARE; countTextTokens(text) > maxTokens && share > LEAST_SHARE; share *= NEXT_SHARE) {
    text = write(keepNotes(notes, share));
  }
  return text;
}
