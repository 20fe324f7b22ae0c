import { execFile } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf } from "../../test/support/format-checks.ts";
import { realTranscripts } from "../../test/support/real-transcripts.ts";
import { readTranscript } from "./read-transcript.ts";

/** The bytes of a text, in pieces that cut characters and ends of lines apart. */
async function* bytes(text: string, pieceLength = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let start = 0; start < all.length; start += pieceLength) yield all.subarray(start, start + pieceLength);
}

const line = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) =>
  JSON.stringify({ type: "user", uuid, parentUuid, sessionId: "s", message: { role: "user", content }, ...more });

describe("reads a stream", () => {
  test("whatever its bytes are cut into: characters of several bytes, a byte order mark, both kinds of line ends", async () => {
    const text = `\ufeff${line("1", null, "größer 漢字 🙂")}\r\n\r\n${line("2", "1", "zwei")}\n`;
    for (const pieceLength of [1, 2, 3, 1_000]) {
      const { messages, problems } = await readTranscript(bytes(text, pieceLength));
      expect(messages.map(({ content }) => content)).toEqual(["größer 漢字 🙂", "zwei"]);
      expect(problems).toEqual([]);
    }
  });

  test("broken lines and a half-written last one are named, and cost nothing else", async () => {
    const text = `${line("1", null, "a")}\n{broken\n${line("2", "1", "b")}\n${line("3", "2", "c").slice(0, -9)}`;
    const { messages, problems } = await readTranscript(bytes(text));
    expect(messages.map(({ content }) => content)).toEqual(["a", "b"]);
    expect(problems).toEqual([
      { where: "line 2", reason: "This line is not JSON." },
      { where: "line 4", reason: "The last line is only half there." },
    ]);
  });

  test("a document that ends early keeps its complete messages", async () => {
    const messages = [
      { id: "u1", type: "user", content: "first" },
      { id: "u2", type: "user", content: "second" },
    ];
    const text = JSON.stringify({ sessionId: "s", projectHash: "h", messages });
    const transcript = await readTranscript(bytes(text.slice(0, text.indexOf("second"))));
    expect(transcript.messages.map(({ content }) => content)).toEqual(["first"]);
    expect(transcript.problems[0]).toEqual({
      where: "messages[1].content",
      reason: expect.stringContaining("ends early"),
    });
  });

  test("a first line that is longer than the first look", async () => {
    const long = "x".repeat(3_000_000);
    const { messages } = await readTranscript(bytes(`${line("1", null, long)}\n${line("2", "1", "b")}\n`, 65_536));
    expect(messages.map(({ content }) => content.length)).toEqual([3_000_000, 1]);
  });

  test("as a format that is named, without looking", async () => {
    const { format, messages } = await readTranscript(bytes('[{"role":"user","content":"hi"}]'), {
      format: "anthropic",
    });
    expect([format, messages.length]).toEqual(["anthropic", 1]);
  });
});

describe("refuses", () => {
  test("what is of no known format, and says which there are", async () => {
    const refusal = expect.objectContaining({
      message: expect.stringMatching(/no format that we know.*claude-code.*openai/),
    });
    await expect(readTranscript(bytes("# a page of text"))).rejects.toThrow(refusal);
    await expect(readTranscript(bytes("{}"), { format: "nonsense" })).rejects.toThrow(
      /no format "nonsense".*known formats/,
    );
  });

  test("what is empty, without a word about formats", async () => {
    const folder = await mkdtemp(join(tmpdir(), "palimpsest-empty-"));
    const path = join(folder, "empty.jsonl");
    await writeFile(path, " \n");
    const fromPath = await readTranscript(path).catch((error: unknown) => error);
    expect(fromPath).toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("empty.jsonl: the file"),
    });
    const fromBytes = await readTranscript(bytes("")).catch((error: unknown) => error);
    expect(fromBytes).toMatchObject({ code: "invalid-argument", message: expect.stringMatching(/^The file is empty/) });
    expect(`${fromPath}${fromBytes}`).not.toContain("format");
    await rm(folder, { recursive: true });
  });

  test("a path that cannot be read, with what to do", async () => {
    const refusal = (message: RegExp) => ({ code: "invalid-argument", message: expect.stringMatching(message) });
    const missing = readTranscript(join(tmpdir(), "no-such-folder", "file.jsonl"));
    await expect(missing).rejects.toMatchObject(refusal(/file\.jsonl: there is no such file\. Check the path\.$/));
    await expect(readTranscript(tmpdir())).rejects.toMatchObject(refusal(/it is a folder\. Name one session file/));
    const content = readTranscript(JSON.stringify({ secret: "s3cret".repeat(2_000) }));
    await expect(content).rejects.toMatchObject(refusal(/too long for a path\. Pass the path/));
    await expect(content).rejects.toMatchObject({ message: expect.not.stringMatching(/.{200}/) });
    await expect(readTranscript("a\0b")).rejects.toMatchObject(refusal(/^Cannot read /));
    const long = readTranscript(`${"folder/".repeat(100)}last.jsonl`);
    await expect(long).rejects.toMatchObject(refusal(/^Cannot read ….{79,80}: there/));
    await expect(long).rejects.toMatchObject(refusal(/last\.jsonl: /));
  });
});

test("files of real agents read the same from a stream as at once", async ({ skip }) => {
  const folders = [
    "gemini-cli",
    "gemini-cli-jsonl",
    "opencode",
    "cline-sdk",
    "swe-agent",
    "mini-swe-agent",
    "tau-bench",
  ];
  const files = folders.flatMap((folder) => realTranscripts(folder));
  if (files.length === 0) skip();
  for (const file of files) {
    const fromPath = await readTranscript(file);
    expect(await readTranscript(bytes(readFileSync(file, "utf8"), 5_003)), file).toEqual(fromPath);
    expect(faultsOf(fromPath), file).toEqual([]);
  }
});

describe("holds what the model saw, not the file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "palimpsest-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const MESSAGES = 400;
  const HEAP_MEGABYTES = 64;

  /** A session whose messages are always the same, with as much around them as makes the file this large. */
  async function writeSession(megabytes: number): Promise<string> {
    const path = join(folder, `${megabytes}.jsonl`);
    const filler = "padding that only the person sees ".repeat(Math.ceil((megabytes * 1e6) / MESSAGES / 2 / 34));
    const lines = function* () {
      for (let index = 0; index < MESSAGES; index++) {
        const parent = index === 0 ? null : `m${index - 1}`;
        yield `${line(`m${index}`, parent, `said ${index}`, { toolUseResult: { originalFile: filler } })}\n`;
        yield `${JSON.stringify({ type: "progress", data: filler, index })}\n`;
      }
    };
    await pipeline(Readable.from(lines()), createWriteStream(path));
    return path;
  }

  /** The most memory that a process of its own needed to read a file. */
  async function peakMegabytes(path: string): Promise<number> {
    const script = `
      const { readTranscript } = await import(${JSON.stringify(join(import.meta.dirname, "read-transcript.ts"))});
      const { messages } = await readTranscript(${JSON.stringify(path)});
      console.log(JSON.stringify({ messages: messages.length, kilobytes: process.resourceUsage().maxRSS }));`;
    const flags = ["--max-semi-space-size=2", `--max-old-space-size=${HEAP_MEGABYTES}`, "--no-warnings"];
    // What is compiled, and kept for the next process, takes memory in the first one alone.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
    const child = await promisify(execFile)(process.execPath, [...flags, "--input-type=module", "-e", script], { env });
    const { messages, kilobytes } = JSON.parse(child.stdout);
    expect(messages).toBe(MESSAGES);
    return kilobytes / 1_024;
  }

  test("20 megabytes", async () => {
    const [small, large] = [await writeSession(1), await writeSession(20)];
    expect((await peakMegabytes(large)) - (await peakMegabytes(small))).toBeLessThan(15);
  });

  test.runIf(process.env.PALIMPSEST_SLOW_TESTS !== undefined)("200 megabytes", async () => {
    const [small, large] = [await writeSession(1), await writeSession(200)];
    // What has been read and is not yet collected grows up to the heap's limit, and no further.
    expect((await peakMegabytes(large)) - (await peakMegabytes(small))).toBeLessThan(HEAP_MEGABYTES + 16);
  });
});
