/** What it takes to keep the bodies of requests: time after each reply, and bytes of the store. */
import { readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Message } from "palimpsest";
import { sqliteStore } from "palimpsest/stores/sqlite";

const REQUESTS = 150;
/** Of a body before the first request: what an agent's system prompt and tools take. */
const HEAD_CHARACTERS = 60_000;

interface Measured {
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly storeBytes: number;
  readonly sentBytes: number;
}

export async function benchRequests(): Promise<void> {
  const source = readFileSync(new URL(import.meta.url), "utf8");
  const without = await measure(source, false);
  const withBodies = await measure(source, true);
  const added = (withBodies.storeBytes - without.storeBytes) / REQUESTS;
  console.log(`\nRequests: ${REQUESTS} of one session, each with a call and its result, on SQLite`);
  console.log(
    `recorded after a reply, mean / p99 ms: ${times(without)} without bodies, ${times(withBodies)} with them`,
  );
  console.log(
    `sent in all: ${kilobytes(withBodies.sentBytes)} KB; the store: ${kilobytes(without.storeBytes)} KB without, ${kilobytes(withBodies.storeBytes)} KB with`,
  );
  console.log(`kept for each request: ${kilobytes(added)} KB of ${kilobytes(withBodies.sentBytes / REQUESTS)} KB sent`);
}

async function measure(source: string, keepsBodies: boolean): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-bench-"));
  const path = join(folder, "sessions.db");
  const store = sqliteStore({ path });
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("bench");
  const messages: Message[] = [];
  const head = JSON.stringify({ model: "claude-sonnet-4-5", system: textOf(source, 0, HEAD_CHARACTERS) }).slice(0, -1);
  const timesMs: number[] = [];
  let sentBytes = 0;
  for (let step = 0; step < REQUESTS; step++) {
    const added = turnOf(source, step);
    messages.push(...added);
    await session.append(...added);
    const bytes = new TextEncoder().encode(`${head},"messages":${JSON.stringify(messages)}}`);
    sentBytes += bytes.length;
    const body = keepsBodies ? { wire: "anthropic", bytes } : undefined;
    const startedAt = performance.now();
    await session.recordRequest({ usage: { inputTokens: 100, outputTokens: 10 }, body });
    timesMs.push(performance.now() - startedAt);
  }
  await store.close();
  const storeBytes = statSync(path).size;
  rmSync(folder, { recursive: true });
  const sorted = timesMs.toSorted((one, other) => one - other);
  const meanMs = timesMs.reduce((sum, ms) => sum + ms, 0) / timesMs.length;
  return { meanMs, p99Ms: sorted[Math.floor(0.99 * sorted.length)] ?? 0, storeBytes, sentBytes };
}

function turnOf(source: string, step: number): readonly Message[] {
  const id = `toolu_${step}`;
  return [
    { role: step === 0 ? "user" : "assistant", content: step === 0 ? "Begin." : `Step ${step}.` },
    { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: `src/${step}.ts` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: textOf(source, step * 977, 4_000) }] },
  ];
}

/** Text of a program, different for each step. */
function textOf(source: string, from: number, characters: number): string {
  const start = from % source.length;
  const lines = source.slice(start) + source.slice(0, start);
  return lines.repeat(Math.ceil(characters / lines.length)).slice(0, characters - 8) + String(from).padStart(8, "0");
}

function times({ meanMs, p99Ms }: Measured): string {
  return `${meanMs.toFixed(2)} / ${p99Ms.toFixed(2)}`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
