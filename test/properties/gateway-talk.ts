/** What an agent has said and heard, and how it looks on each wire. */
import type { KnownWire } from "../support/known-wires.ts";

export interface Call {
  readonly id: string;
  readonly path: string;
}

export interface Result extends Call {
  readonly text: string;
}

export type Said =
  | { readonly type: "asks"; readonly text: string; readonly reminder?: string | undefined }
  | { readonly type: "replies"; readonly text: string; readonly calls: readonly Call[] }
  | { readonly type: "answers"; readonly results: readonly Result[]; readonly reminder?: string | undefined };

export type Talk = readonly Said[];

/** How the same words are written. */
export interface Form {
  /** A text alone as a list with one block. */
  readonly asBlocks: boolean;
  /** Marks for the cache: on the newest messages. */
  readonly isMarked: boolean;
  readonly otherKeyOrder: boolean;
  /** Gemini before version 3 has no ids of calls. */
  readonly hasCallIds: boolean;
}

type Item = Readonly<Record<string, unknown>>;

/** The items of a request's conversation. */
export function itemsOf(wire: KnownWire, talk: Talk, form: Form): readonly Item[] {
  const items = talk.flatMap((said, index) => WIRES[wire](said, { ...form, isMarked: isMarkedAt(talk, index, form) }));
  return form.otherKeyOrder ? items.map((item) => Object.fromEntries(Object.entries(item).toReversed())) : items;
}

function isMarkedAt(talk: Talk, index: number, { isMarked }: Form): boolean {
  return isMarked && index >= talk.length - 2;
}

const WIRES: Readonly<Record<KnownWire, (said: Said, form: Form) => readonly Item[]>> = {
  anthropic: anthropicItems,
  "openai-chat": chatItems,
  "openai-responses": responsesItems,
  gemini: geminiItems,
};

function anthropicItems(said: Said, { asBlocks, isMarked }: Form): readonly Item[] {
  const mark = isMarked ? { cache_control: { type: "ephemeral" } } : {};
  const reminders = said.type !== "replies" && said.reminder !== undefined ? [textBlock(said.reminder)] : [];
  switch (said.type) {
    case "asks": {
      const isPlain = !(asBlocks || isMarked) && reminders.length === 0;
      const content = isPlain ? said.text : [{ ...textBlock(said.text), ...mark }, ...reminders];
      return [{ role: "user", content }];
    }
    case "replies": {
      const calls = said.calls.map(({ id, path }) => ({ type: "tool_use", id, name: "read", input: { path } }));
      const texts = said.text === "" ? [] : [textBlock(said.text)];
      const isPlain = calls.length === 0 && !asBlocks;
      return [{ role: "assistant", content: isPlain ? said.text : [...texts, ...calls] }];
    }
    case "answers": {
      const results = said.results.map(({ id, text }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: asBlocks ? [textBlock(text)] : text,
        ...mark,
      }));
      return [{ role: "user", content: [...results.slice(0, 2), ...results.slice(2).map(withoutMark), ...reminders] }];
    }
  }
}

function withoutMark({ cache_control: _, ...block }: Item): Item {
  return block;
}

function textBlock(text: string): Item {
  return { type: "text", text };
}

function chatItems(said: Said, { asBlocks }: Form): readonly Item[] {
  switch (said.type) {
    case "asks": {
      const reminders = said.reminder === undefined ? [] : [textBlock(said.reminder)];
      const isPlain = !asBlocks && reminders.length === 0;
      return [{ role: "user", content: isPlain ? said.text : [textBlock(said.text), ...reminders] }];
    }
    case "replies": {
      const content = said.text === "" ? null : said.text;
      if (said.calls.length === 0) return [{ role: "assistant", content }];
      const calls = said.calls.map(({ id, path }) => ({
        id,
        type: "function",
        function: { name: "read", arguments: JSON.stringify({ path }) },
      }));
      return [{ role: "assistant", content, tool_calls: calls }];
    }
    case "answers":
      return said.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }
}

function responsesItems(said: Said, { asBlocks }: Form): readonly Item[] {
  switch (said.type) {
    case "asks": {
      const texts = [said.text, ...(said.reminder === undefined ? [] : [said.reminder])];
      const isPlain = !asBlocks && texts.length === 1;
      const content = isPlain ? said.text : texts.map((text) => ({ type: "input_text", text }));
      return [{ type: "message", role: "user", content }];
    }
    case "replies": {
      const content = [{ type: "output_text", text: said.text, annotations: [] }];
      const texts = said.text === "" ? [] : [{ type: "message", role: "assistant", content }];
      const calls = said.calls.map(({ id, path }) => ({
        type: "function_call",
        call_id: id,
        name: "read",
        arguments: JSON.stringify({ path }),
      }));
      return [...texts, ...calls];
    }
    case "answers":
      return said.results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
  }
}

function geminiItems(said: Said, { hasCallIds }: Form): readonly Item[] {
  const named = (id: string) => (hasCallIds ? { id } : {});
  const reminders = said.type !== "replies" && said.reminder !== undefined ? [{ text: said.reminder }] : [];
  switch (said.type) {
    case "asks":
      return [{ role: "user", parts: [{ text: said.text }, ...reminders] }];
    case "replies": {
      const texts = said.text === "" ? [] : [{ text: said.text }];
      const calls = said.calls.map(({ id, path }) => ({
        functionCall: { ...named(id), name: "read", args: { path } },
      }));
      return [{ role: "model", parts: [...texts, ...calls] }];
    }
    case "answers": {
      const parts = said.results.map(({ id, text }) => ({
        functionResponse: { ...named(id), name: "read", response: { output: text } },
      }));
      return [{ role: "user", parts: [...parts, ...reminders] }];
    }
  }
}
