import { expect, test } from "vitest";
import { readTranscriptWithin } from "./read-transcript.ts";

const LIMITS = { lineCharacters: 1_000, headCharacters: 500 };

async function* bytes(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
}

const said = (text: string) =>
  JSON.stringify({
    type: "user",
    uuid: text.slice(0, 5),
    parentUuid: null,
    sessionId: "s",
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: "user", content: text },
  });

test("a line that no string can hold is named, with what to do, and the others are read", async () => {
  const source = bytes(said("first"), said("x".repeat(2_000)), said("third"));
  const { messages, problems } = await readTranscriptWithin(source, { format: "claude-code" }, LIMITS);
  expect(JSON.stringify(messages)).toContain("third");
  expect(problems[0]).toEqual({
    where: "line 2",
    reason: expect.stringMatching(/^This line is left out: it is longer than 1000 characters.* Shorten/),
  });
});

test("a first line that is too long to show its format is refused as that", async () => {
  const reading = readTranscriptWithin(bytes("x".repeat(2_000)), {}, LIMITS);
  await expect(reading).rejects.toMatchObject({
    code: "unknown-format",
    message: expect.stringMatching(
      /^Line 1 is longer than the 500 characters .* Name the format, or take the line out/,
    ),
  });
});
