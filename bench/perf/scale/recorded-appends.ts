/** What an engine writes for messages, kept, so that many sessions can be filled with it at the speed of the store alone. */
import { createEngine, type Message, type NewRecord, type Store } from "palimpsest";
import { memoryStore } from "palimpsest/stores/memory";

/** The records of a session with these messages, with the terms by which they are found. */
export async function recordsOf(messages: readonly Message[]): Promise<readonly NewRecord[]> {
  const records: NewRecord[] = [];
  const behind = memoryStore();
  const store: Store = {
    ...behind,
    append: (key, added, options) => {
      records.push(...added);
      return behind.append(key, added, options);
    },
  };
  const session = await createEngine({ model: "bench", contextWindow: 10_000_000, store }).session("template");
  await session.append(...messages);
  session.close();
  await store.close();
  return records;
}
