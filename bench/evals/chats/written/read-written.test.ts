import { describe, expect, it } from "vitest";
import { textOf } from "../chat.ts";
import { chatOf, readWrittenChats, sessionsByDate } from "./read-written.ts";

describe.each(readWrittenChats())("$name", (chat) => {
  it("answers each question in the messages that are marked, word for word", () => {
    const { messages, questions } = chatOf(chat.name, sessionsByDate([chat]), [chat]);
    expect(questions.length).toBeGreaterThanOrEqual(15);
    for (const { query, spans, sources = [] } of questions) {
      const evidence = spans.map(([at]) => textOf(messages[at] ?? { role: "user", content: "" })).join("\n");
      for (const source of sources) expect(evidence, query).toContain(source);
    }
  });

  it("has its sessions in order, and each label once", () => {
    const said = chat.sessions.flat();
    const times = said.map(({ message }) => message.ts ?? 0);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const labels = said.flatMap(({ label }) => label ?? []);
    expect(new Set(labels).size).toBe(labels.length);
  });
});
