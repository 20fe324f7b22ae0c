/** A process is killed at any moment: the statement is a sum over what is kept, never negative and never doubled. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Statement } from "../../src/core/statement/statement.ts";
import { createEngine, type Session } from "../../src/index.ts";
import { type PalimpsestProcess, startPalimpsest, unhurried } from "../support/palimpsest-process.ts";
import { describePostgres, freshSchema, runSql } from "../support/postgres-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CHAOS_SEED, sized, tellFigures } from "./chaos-size.ts";
import { openStore } from "./open-store.ts";
import { between, seededRandom } from "./random.ts";
import type { StorePlace } from "./writer-lines.ts";

const USAGE = { input_tokens: 1_000, output_tokens: 10 };
const COST_USD = (1_000 * 3 + 10 * 15) / 1_000_000;

/** Runs a writer until it has told so many lines, then kills it. What it told by then. */
async function killAfter(lines: number, place: StorePlace, first: number): Promise<readonly string[]> {
  const script = join(import.meta.dirname, "statement-writer.ts");
  const given = [script, JSON.stringify(place), String(first)];
  const child = spawn(process.execPath, given, { stdio: ["ignore", "pipe", "inherit"] });
  const told: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    told.push(line);
    if (told.length === lines) child.kill("SIGKILL");
  });
  await Promise.all([once(child, "close"), once(reader, "close")]);
  return told;
}

function expectSound({ requests, unpriced, spentUsd, folds }: Statement): void {
  expect(spentUsd).toBeCloseTo((requests - unpriced) * COST_USD, 9);
  for (const { costUsd, earnedUsd, hiddenTokens } of folds) {
    expect(Math.min(costUsd, earnedUsd, hiddenTokens)).toBeGreaterThanOrEqual(0);
  }
}

interface KilledWriters {
  readonly name: string;
  readonly place: StorePlace;
  /** Resolves when what a killed writer had sent is done with. @default at once */
  readonly settle?: () => Promise<void>;
}

async function killWriters({ name, place, settle }: KilledWriters): Promise<void> {
  const random = seededRandom(`statement ${name}`, CHAOS_SEED);
  const kills = sized({ full: 60, short: 2 });
  let [paying, paid] = [0, 0];
  for (let kill = 0; kill < kills; kill++) {
    const told = await killAfter(between(random, 1, 30), place, 1_000 * kill);
    await settle?.();
    paying += told.filter((line) => line.startsWith("paying")).length;
    paid += told.filter((line) => line.startsWith("paid")).length;
    const store = openStore(place);
    const engine = createEngine({ model: "claude-sonnet-4-5", store });
    const session: Session = await engine.session("task");
    const statement = await session.statement();
    expect(statement.requests).toBeGreaterThanOrEqual(paid);
    expect(statement.requests).toBeLessThanOrEqual(paying);
    expect(statement.unpriced).toBe(0);
    expectSound(statement);
    expect((await engine.statement()).requests).toBe(statement.requests);
    expect(await session.verify()).toMatchObject({ type: "intact" });
    await store.close();
  }
  expect(paid).toBeGreaterThan(0);
  tellFigures(`kill -9, the statement, ${name}`, { kills, paid, paying });
}

const ACKNOWLEDGED = "requests that were acknowledged are in the statement, once, after every kill";

test(`SQLite: ${ACKNOWLEDGED}`, () =>
  killWriters({ name: "SQLite", place: { type: "sqlite", path: join(temporaryFolder(), "store.db") } }));

await describePostgres("PostgreSQL", (connectionString) => {
  test(ACKNOWLEDGED, async () => {
    const schema = freshSchema(connectionString);
    const address = new URL(connectionString);
    address.searchParams.set("application_name", schema);
    const question = "SELECT 1 FROM pg_stat_activity WHERE application_name = $1";
    await killWriters({
      name: "PostgreSQL",
      place: { type: "postgres", connectionString: address.href, schema },
      // The server goes on with what a killed client had sent.
      settle: async () => {
        while ((await runSql(connectionString, question, [schema])).length > 0) await delay(5);
      },
    });
  });
});

/** A provider that answers every request at the same price. How many it was sent. */
async function startProvider(): Promise<{ readonly url: string; requests(): number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      requests += 1;
      const content = [{ type: "text", text: `reply ${requests}: ${"pear ".repeat(200)}` }];
      const body = { id: `r${requests}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...body, stop_reason: "end_turn", usage: USAGE }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests };
}

async function startGateway(upstream: string, store: string): Promise<{ url: string; gateway: PalimpsestProcess }> {
  const options = ["--upstream", upstream, "--window", "10000", "--store", store, "--port", "0"];
  const gateway = startPalimpsest(["up", "--json", ...options, ...unhurried()]);
  onTestFinished(async () => {
    gateway.kill("SIGKILL");
    await gateway.ended;
  });
  const facts: { readonly url: string } = JSON.parse(await gateway.shows(/^\{.*\}\n/));
  return { url: facts.url, gateway };
}

interface Said {
  readonly role: "user" | "assistant";
  readonly content: unknown;
}

async function ask(url: string, messages: readonly Said[]): Promise<Said> {
  const tools = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" } }];
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "key",
      "anthropic-version": "2023-06-01",
      "x-palimpsest-session": "task",
    },
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1_000, tools, messages }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { content }: { readonly content: unknown } = JSON.parse(await response.text());
  return { role: "assistant", content };
}

test("a gateway: requests that another one followed are in the statement, once, after every kill", async () => {
  const random = seededRandom("statement of a gateway", CHAOS_SEED);
  const kills = sized({ full: 30, short: 1 });
  const provider = await startProvider();
  const store = join(temporaryFolder(), "sessions.db");
  let said: readonly Said[] = [];
  /** Replies after which another request was answered by the same process: their records were written by then. */
  let followed = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { url, gateway } = await startGateway(provider.url, store);
    const turns = between(random, 2, 20);
    for (let turn = 0; turn < turns; turn++) {
      const asked: readonly Said[] = [
        ...said,
        { role: "user", content: `ask ${kill}.${turn}: ${"apple ".repeat(200)}` },
      ];
      said = [...asked, await ask(url, asked)];
      if (turn > 0) followed += 1;
    }
    // It is killed while it works on one more, at a moment of chance.
    const lost = ask(url, [...said, { role: "user", content: "One more." }]).then(
      () => undefined,
      () => undefined,
    );
    await delay(between(random, 0, 25));
    gateway.kill("SIGKILL");
    await Promise.all([lost, gateway.ended]);

    const opened = openStore({ type: "sqlite", path: store });
    const engine = createEngine({ model: "claude-sonnet-4-5", store: opened });
    const statement = await engine.statement();
    expect(statement.requests).toBeGreaterThanOrEqual(followed);
    expect(statement.requests).toBeLessThanOrEqual(provider.requests());
    expectSound(statement);
    const session = await engine.session("task");
    expect(await session.verify()).toMatchObject({ type: "intact" });
    await opened.close();
  }
  expect(followed).toBeGreaterThan(0);
  tellFigures("kill -9, the statement, a gateway", { kills, followed, sent: provider.requests() });
});
