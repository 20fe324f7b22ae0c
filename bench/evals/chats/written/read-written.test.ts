import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../chat.ts";
import { chatOf, readWrittenChats, sessionsByDate } from "./read-written.ts";

/** The lines of its file that begin a question. */
function questionLines(name: string): number {
  const text = readFileSync(resolve(import.meta.dirname, `${name}.txt`), "utf8");
  return text.split("\n").filter((line) => line.startsWith("?")).length;
}

describe.each(readWrittenChats())("$name", (chat) => {
  it("answers each question in the messages that are marked, word for word", () => {
    const { messages, questions } = chatOf(chat.name, sessionsByDate([chat]), [chat]);
    expect(questions).toHaveLength(questionLines(chat.name));
    expect(questions.length).toBeGreaterThanOrEqual(13);
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
