import { expect, test } from "vitest";
import type { AppendOptions, Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../create-engine.ts";

/** A store that notes how each append asks to be acknowledged, and what is in it. */
function notingStore() {
  const inner = memoryStore();
  const asked: AppendOptions["acknowledge"][] = [];
  const appended: (readonly string[])[] = [];
  const store: Store = {
    ...inner,
    append: (key, records, options) => {
      asked.push(options?.acknowledge ?? "durable");
      appended.push(records.map(({ body }) => typeOf(JSON.parse(body))));
      return inner.append(key, records, options);
    },
  };
  return { store, asked, appended };
}

/** The type of a record, or of the event in it. */
function typeOf({ type, event }: { readonly type: string; readonly event?: { readonly type: string } }): string {
  return event?.type ?? type;
}

const usage = { inputTokens: 10, outputTokens: 1 };

test("messages and the records of requests need only be visible where the engine is told so", async () => {
  const { store, asked } = notingStore();
  const session = await createEngine({ model: "my-model", store, acknowledge: "visible" }).session("task-42");
  await session.append({ role: "user", content: "Why does it blink?" });
  await session.recordRequest({ usage, messageCount: 1, calibration: { usage, from: "next-message" } });
  expect(asked).toEqual(["visible", "visible"]);
});

test("what changes what was said waits for the disk all the same", async () => {
  const { store, asked } = notingStore();
  const session = await createEngine({ model: "my-model", store, acknowledge: "visible" }).session("task-42");
  await session.append({ role: "user", content: "One.", id: "one" }, { role: "assistant", content: "Two.", id: "two" });
  asked.splice(0);
  await session.mark("one", { important: true });
  await session.rewind({ toMessage: "two" });
  await session.recordRecall({ key: "r:1", api: "anthropic", items: [], results: [] });
  expect(new Set(asked)).toEqual(new Set(["durable"]));
});

test("a fold waits for the disk, once, for what tells of it is in the same write", async () => {
  const { store, asked, appended } = notingStore();
  const engine = createEngine({
    model: "my-model",
    contextWindow: 4_000,
    maxTokens: 500,
    store,
    acknowledge: "visible",
  });
  const session = await engine.session("task-42");
  const said = Array.from({ length: 12 }, (_, turn) => ({
    role: turn % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${turn} ${"some words of it ".repeat(150)}`,
  }));
  await session.append(...said);
  asked.splice(0);
  appended.splice(0);
  const { report } = await session.prepare({ isRequest: false });
  expect(report.foldIds).not.toEqual([]);
  expect(asked).toEqual(["durable"]);
  expect(appended).toEqual([["patch", "condense_context"]]);
});

test("everything waits for the disk where nothing else is said", async () => {
  const { store, asked } = notingStore();
  const session = await createEngine({ model: "my-model", store }).session("task-42");
  await session.append({ role: "user", content: "Why does it blink?" });
  await session.recordRequest({ usage });
  expect(new Set(asked)).toEqual(new Set(["durable"]));
});

test("any other word is refused", () => {
  // @ts-expect-error: as from JavaScript
  expect(() => createEngine({ model: "my-model", acknowledge: "soon" })).toThrow(/options\.acknowledge/);
});
