/** Random tool loops with calls of the gateway's recall tool, faults and restarts at random places. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folderOffload } from "../../src/checkpoints/index.ts";
import { restoreAllMessages } from "../../src/core/history/restore.ts";
import type { MaintainedStore } from "../../src/core/ports/store.ts";
import { type CacheMarking, startGateway } from "../../src/gateway/index.ts";
import {
  type ModelServer,
  type ScriptedReply,
  type ScriptedToolCall,
  startModelServer,
} from "../../src/testing/index.ts";
import type { SdkClient, SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { ROOMY_LIMITS } from "../support/loopback.ts";
import { describePostgres } from "../support/postgres-database.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { itemsOf, readFile, recallCall, toolNames } from "../support/recall-talk.ts";
import { type DurablePlace, postgresPlace, sqlitePlace } from "../support/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isTruth, keepTruth, linesOf, type RecallTruth } from "./recall-truth.ts";

const WINDOW = 7_000;

/** One reply that only asks to recall. */
interface Round {
  readonly text: string;
  readonly inputs: readonly ScriptedToolCall["input"][];
}

/** What the provider does wrong, or a gateway that is stopped and started while it answers calls. */
type Fault = ScriptedReply | { readonly type: "restart" };

interface Step {
  /** How long the user's word, or the output of a tool, is. */
  readonly saidWords: number;
  readonly rounds: readonly Round[];
  readonly end: { readonly text: string; readonly calls: number; readonly recallsBeside: number };
  /** What goes wrong after the rounds, before the step is sent again. */
  readonly fault: Fault | undefined;
  readonly isStreaming: boolean;
  readonly restartsBefore: boolean;
}

const word = fc.constantFrom(
  "",
  "Let me see.",
  "One moment, please.",
  "Done.",
  'Ünïcode 🎈 and "quotes"\n\ntwo lines.',
);
const input = fc.constantFrom<ScriptedToolCall["input"]>(
  { query: "hall" },
  { query: "nothing like it" },
  { id: "m2" },
  { id: "truncate-nowhere" },
  { id: "m1", from: "9.9.9" },
  {},
);

const step: fc.Arbitrary<Step> = fc.record({
  saidWords: fc.integer({ min: 1, max: 1_200 }),
  rounds: fc.array(fc.record({ text: word, inputs: fc.array(input, { minLength: 1, maxLength: 2 }) }), {
    maxLength: 2,
  }),
  end: fc.record({
    text: fc.constantFrom("Done.", "All is well here.", "Yes.\n"),
    calls: fc.integer({ min: 0, max: 2 }),
    recallsBeside: fc.integer({ min: 0, max: 1 }),
  }),
  fault: fc.option(
    fc.constantFrom<Fault>(
      { type: "error", status: 529 },
      { type: "cut", text: "All is" },
      { type: "late-error", status: 503, message: "Overloaded" },
      { type: "trail-off", text: "All is" },
      { type: "restart" },
    ),
    { nil: undefined, freq: 4 },
  ),
  isStreaming: fc.boolean(),
  restartsBefore: fc.boolean(),
});

/** What else changes requests: each may be on beside the others. */
interface Switches {
  readonly breakpoints: CacheMarking;
  readonly diagnosis: boolean;
  readonly budgetNotice: boolean;
  readonly isOffloaded: boolean;
  readonly primary: "truncation" | "hybrid";
}

const switches: fc.Arbitrary<Switches> = fc.record({
  breakpoints: fc.constantFrom<CacheMarking>("off", "folded", "always"),
  diagnosis: fc.boolean(),
  budgetNotice: fc.boolean(),
  isOffloaded: fc.boolean(),
  primary: fc.constantFrom("truncation", "hybrid"),
});

function roundReplies({ rounds }: Step): readonly ScriptedReply[] {
  return rounds.map(({ text, inputs }) => ({ type: "tool-calls", text, calls: inputs.map(recallCall) }));
}

/** What the model says last; a recall call without others beside it would be a round. */
function lastReply({ end }: Step): ScriptedReply {
  if (end.calls === 0) return { type: "text", text: end.text };
  const own = Array.from({ length: end.calls }, (_, index) => readFile(`file-${index}.txt`));
  const beside = Array.from({ length: end.recallsBeside }, () => recallCall());
  return { type: "tool-calls", text: end.text, calls: [...beside, ...own] };
}

const RESULT = /tool_result|"role":"tool"|function_call_output|functionResponse/;

const FOLD = /fold ([\w-]{6,})/g;

/** Items with a call of the recall tool or its result must be what they were when they were sent first, with the same folds. */
function watchItems(kind: SdkKind) {
  const seen = new Map<string, string>();
  return (request: Parameters<typeof itemsOf>[1]): readonly string[] =>
    itemsOf(kind, request).filter((marked) => {
      // Marks for the cache move with the newest message.
      const item = marked.replaceAll(/,"cache_control":\{[^}]*\}/g, "");
      const ids = item.match(/call_recall_\d{12}/g) ?? [];
      if (ids.length === 0) return false;
      const folds = [...item.matchAll(FOLD)].map(([, id]) => id);
      const name = [RESULT.test(item) ? "result" : "call", ...ids, ...folds].join(" ");
      const before = seen.get(name) ?? item;
      seen.set(name, before);
      return before !== item;
    });
}

type OpenStore = () => MaintainedStore;

async function run(kind: SdkKind, steps: readonly Step[], on: Switches, openStore: OpenStore): Promise<void> {
  const server = await startModelServer({ contextWindow: WINDOW, promptCache: true });
  const folder = temporaryFolder();
  const { breakpoints, diagnosis, budgetNotice, isOffloaded, primary } = on;
  const incidents: string[] = [];
  const open = async () => {
    const store = openStore();
    const gateway = await startGateway({
      port: 0,
      store,
      upstreams: { anthropic: server.url, openai: server.url, gemini: server.url },
      recallTool: true,
      windows: { all: WINDOW },
      configuration: { strategies: { primary }, monitoring: { budgetNotice } },
      cache: { breakpoints, diagnosis },
      ...(isOffloaded ? { offload: folderOffload({ folder: join(folder, "outputs") }) } : {}),
      limits: ROOMY_LIMITS,
    });
    gateway.activity.listen((activity) => {
      if (activity.type === "incident") incidents.push(`${activity.what}: ${activity.error}`);
    });
    return { gateway, close: () => gateway.close().then(() => store.close()) };
  };
  let running = await open();
  const restart = async () => {
    await running.close();
    running = await open();
  };
  const truth = keepTruth(kind);
  const client = kind.open({ url: () => running.gateway.url });
  let openCalls = 0;
  let beside = 0;
  let sessionId = "";
  try {
    await talkUntilOffered(client, server, truth);
    for (const each of steps) {
      if (each.restartsBefore) await restart();
      const own = say(client, each, openCalls);
      if (each.fault?.type === "restart") await restartWithin(each, { client, server, restart });
      else if (each.fault !== undefined) {
        server.script(...roundReplies(each), each.fault);
        await client.ask(each.isStreaming).then(
          () => expect.fail(`The fault was not told: ${JSON.stringify(each)}`),
          () => undefined,
        );
      }
      const last = lastReply(each);
      server.script(...roundReplies(each), last);
      const reply = await client.ask(each.isStreaming);
      const request = server.requests.at(-1) ?? expect.fail();
      truth.said({ own, beside, rounds: each.rounds.length, request, reply: last });
      beside = each.end.calls > 0 ? each.end.recallsBeside : 0;
      openCalls = each.end.calls;
      expect(reply.callCount).toBe(each.end.calls);
      const said = [...each.rounds.map(({ text }) => text), each.end.text].join("");
      expect(reply.text.replaceAll(/\s+/g, "")).toBe(said.replaceAll(/\s+/g, ""));
      sessionId = reply.headers.get("x-palimpsest-session") ?? sessionId;
    }
    const log = restoreAllMessages(await (await running.gateway.engine.session(sessionId)).log());
    expect(callsAndResults(JSON.stringify(log))).toEqual([]);
    if (!isTruth(log, truth.lines())) expect(linesOf(log)).toEqual(truth.lines());
    expect((await (await running.gateway.engine.session(sessionId)).verify()).type).toBe("intact");
  } finally {
    await running.close();
    await server.close();
  }
  expect(invalidRequests(server)).toEqual([]);
  expect(server.requests.flatMap(watchItems(kind))).toEqual([]);
  expect(incidents).toEqual([]);
}

/** Talks until something is hidden: before, a model has no such tool. */
async function talkUntilOffered(client: SdkClient, server: ModelServer, truth: RecallTruth): Promise<void> {
  for (let hall = 0; hall < 12; hall++) {
    const word = `In hall ${hall}: ${"quiet ".repeat(900)}`;
    client.say(word);
    const { text } = await client.ask(hall % 2 === 0);
    const request = server.requests.at(-1) ?? expect.fail();
    truth.said({ own: [`user says ${word}`], beside: 0, rounds: 0, request, reply: { type: "text", text } });
    if (toolNames(server.requests.at(-1) ?? expect.fail()).includes("recall")) return;
  }
  expect.fail("Nothing was ever hidden.");
}

/** Gives what was said, a line for each. */
function say(client: SdkClient, { saidWords }: Step, openCalls: number): readonly string[] {
  const text = `In hall ${saidWords}: ${"quiet ".repeat(saidWords)}`;
  const part = text.slice(0, Math.ceil(text.length / Math.max(1, openCalls)));
  const outputs = Array.from({ length: openCalls }, () => part);
  if (openCalls === 0) client.say(text);
  else client.giveOutputs(outputs);
  return openCalls === 0 ? [`user says ${text}`] : outputs.map((output) => `result ${output}`);
}

interface Running {
  readonly client: SdkClient;
  readonly server: ModelServer;
  readonly restart: () => Promise<void>;
}

/** Stops the gateway while the provider works on the request that follows the rounds, and starts it again. */
async function restartWithin(each: Step, { client, server, restart }: Running): Promise<void> {
  const expected = server.requests.length + each.rounds.length + 1;
  server.script(...roundReplies(each), { type: "hang" });
  const told = client.ask(each.isStreaming).then(
    () => expect.fail("Nobody could have answered."),
    () => undefined,
  );
  await expect.poll(() => server.requests.length, { interval: 5 }).toBe(expected);
  await restart();
  await told;
}

/** Ids of recall calls that a log has not exactly twice: as a call, and as its result. */
function callsAndResults(log: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [id] of log.matchAll(/call_recall_\d{12}/g)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].filter(([, count]) => count !== 2).map(([id]) => id);
}

function define(makePlace: () => Pick<DurablePlace, "open">, tries: number): void {
  test.each(SDK_KINDS)(
    "every request is valid, every reply whole, the log exact, and what was recalled is sent with the same bytes: $name",
    async (kind) => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), switches, (steps, on) =>
        run(kind, steps, on, makePlace().open),
      );
      await fc.assert(property, propertyRuns(tries));
    },
  );
}

describe("sqlite", () => define(sqlitePlace, 8));

// Each restart opens connections: the short tests have one store.
if (process.env.PALIMPSEST_CHAOS === "full") {
  await describePostgres("postgres", (connectionString) => define(() => postgresPlace(connectionString), 4));
}
