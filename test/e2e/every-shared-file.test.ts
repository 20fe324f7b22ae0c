import { readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import { get_encoding } from "tiktoken";
import { beforeAll, describe, expect, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Transcript } from "../../src/core/transcript/transcript.ts";
import {
  readTranscript,
  writeAnthropic,
  writeClaudeCode,
  writeCodex,
  writeGemini,
  writeOpenAi,
  writeRoo,
} from "../../src/transcripts/index.ts";
import { countTexts, measure } from "../support/format-checks.ts";
import { RAW_TEXTS } from "../support/raw-texts.ts";
import { DATA_FOLDER, realTranscripts } from "../support/real-transcripts.ts";

/** What may be refused, and why. A file that is not here must load. */
const REFUSALS: readonly (readonly [files: RegExp, reason: RegExp])[] = [
  [/^(README|FORMATS)\.md$|^LICENSES\//, /it is text, not JSON/],
  [/^MANIFEST\.json$/, /JSON without messages .*first fields: path, format/],
  [/^aider\//, /chat history of aider/],
  [/^bfcl-v4\/possible_answer\//, /answers of a benchmark/],
  [/^bfcl-v4\/multi_turn_func_doc\//, /definitions of tools/],
  [/^bfcl-v4\//, /questions of a benchmark, without an agent's replies/],
  [/^longqa\//, /questions of a benchmark|JSON without messages/],
  [/^trail-otel\/annotations\//, /remarks about a trace/],
  [/^trail-otel\//, /trace of OpenTelemetry/],
];

const WRITERS: Readonly<Record<string, (transcript: Transcript) => string>> = {
  "claude-code": (transcript) => writeClaudeCode(transcript).join("\n"),
  codex: (transcript) => writeCodex(transcript).join("\n"),
  roo: (transcript) => JSON.stringify(writeRoo(transcript)),
  anthropic: (transcript) => JSON.stringify(writeAnthropic(transcript)),
  openai: (transcript) => JSON.stringify(writeOpenAi(transcript)),
  gemini: (transcript) => JSON.stringify(writeGemini(transcript)),
};

interface SharedFile {
  readonly name: string;
  readonly path: string;
}

const files: readonly SharedFile[] = realTranscripts("").map((path) => ({ name: relative(DATA_FOLDER, path), path }));
const refusalOf = ({ name }: SharedFile) => REFUSALS.find(([pattern]) => pattern.test(name))?.[1];
const sessions = files.filter((file) => refusalOf(file) === undefined);
// Six times each is enough to wait for; every format has some.
const MAX_WRITTEN_BYTES = 400_000;
const shortSessions = sessions.filter(({ path }) => statSync(path).size <= MAX_WRITTEN_BYTES);
const others = files.filter((file) => refusalOf(file) !== undefined);

describe.skipIf(files.length === 0)("every file of the data", () => {
  const reads = new Map<string, { readonly transcript: Transcript; readonly measured: ReturnType<typeof measure> }>();
  const readOf = ({ name }: SharedFile) => {
    const read = reads.get(name);
    if (read === undefined) throw new Error(`${name} was not read.`);
    return read;
  };

  beforeAll(async () => {
    for (const { name, path } of sessions) {
      const transcript = await readTranscript(path);
      reads.set(name, { transcript, measured: measure(transcript) });
    }
  }, 60_000);

  test("that holds a session is read: something of it, or a problem that says why not", () => {
    for (const file of sessions) {
      const { messages, problems } = readOf(file).transcript;
      expect(messages.length + problems.length, file.name).toBeGreaterThan(0);
    }
  });

  test("that holds none is refused with the reason", async () => {
    for (const file of others) {
      const refusal: unknown = await readTranscript(file.path).catch((error: unknown) => error);
      expect(refusal, file.name).toBeInstanceOf(PalimpsestError);
      expect(refusal, file.name).toMatchObject({
        code: "unknown-format",
        message: expect.stringMatching(refusalOf(file) ?? /^$/),
      });
    }
  });

  test("has its pairs whole: only calls that were interrupted are open, and no result is without its call", () => {
    // Ids that a benchmark's replays use again are theirs; a file that only names another has no messages.
    const allowed = new Set(["missing-result", "duplicate-call-id", "empty-view"]);
    for (const file of sessions) {
      const { transcript, measured } = readOf(file);
      const { calls, openCalls, viewProblems, faults } = measured;
      const unexpected = viewProblems.filter((code) => !allowed.has(code));
      expect({ faults, unexpected }, file.name).toEqual({ faults: [], unexpected: [] });
      expect(openCalls, file.name).toBeLessThanOrEqual(2 + calls / 20);
      expect(viewProblems.includes("empty-view"), file.name).toBe(transcript.messages.length === 0);
    }
  });

  test("has the tokens that another tokenizer counts in the raw texts, within 2 %", () => {
    const encoding = get_encoding("o200k_base");
    const countTokens = (text: string) => (text === "" ? 0 : encoding.encode_ordinary(text).length);
    for (const file of sessions) {
      const { transcript, measured } = readOf(file);
      const rawTexts = RAW_TEXTS[transcript.format];
      if (rawTexts === undefined) throw new Error(`No count of raw texts for ${transcript.format}: ${file.name}`);
      const expected = rawTexts(readFileSync(file.path, "utf8")).reduce((sum, text) => sum + countTokens(text), 0);
      expectNear(measured.tokens, expected, file.name);
    }
    encoding.free();
  }, 60_000);

  test.each(Object.keys(WRITERS))("is the same conversation when written as %s and read again", async (format) => {
    for (const file of shortSessions) {
      const { transcript, measured } = readOf(file);
      if (transcript.messages.length === 0) continue;
      const { systemPrompt: _, ...conversation } = transcript;
      const again = await readTranscript(bytesOf(WRITERS[format]?.(conversation) ?? ""), { format });
      const { calls, openCalls, tokens } = measure(again);
      expect([calls, openCalls], file.name).toEqual([measured.calls, measured.openCalls]);
      // What a developer said first is the system prompt in some formats.
      expectNear(tokens + countTexts([again.systemPrompt ?? ""]), measured.tokens, file.name);
    }
  });
});

function expectNear(tokens: number, expected: number, name: string): void {
  expect(Math.abs(tokens - expected), `${name}: ${tokens} for ${expected}`).toBeLessThanOrEqual(expected * 0.02 + 5);
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
