/** What binds the agent is in every request that the gateway sends on, on all wires, through the official clients and a strict server. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";

/** One turn: what the person says before it, if anything, and what the tools return in it. */
interface Turn {
  readonly said: "nothing" | "request" | "rule" | "skill" | "plan mode" | "end of plan mode";
  readonly attached: "nothing" | "reminder" | "section";
  readonly resultLines: number;
}

const turn = fc.record<Turn>({
  said: fc.constantFrom("nothing", "nothing", "nothing", "request", "rule", "skill", "plan mode", "end of plan mode"),
  attached: fc.constantFrom("nothing", "nothing", "nothing", "reminder", "section"),
  resultLines: fc.integer({ min: 5, max: 60 }),
});

const plan = fc.record({
  window: fc.constantFrom(14_000, 20_000, 28_000),
  turns: fc.array(turn, { minLength: 24, maxLength: 32, size: "max" }),
});

/** The known one folds. */
const RUNS = withKnownCases(longRuns(160), { of: plan, count: 1 });

describe.each(SDK_KINDS)("what binds is in every request of $name", (kind) => {
  test("wherever it was said, for as long as it binds", { timeout: LONG_TIMEOUT_MS }, async () => {
    let folded = 0;
    const property = fc.asyncProperty(plan, async ({ window, turns }) => {
      const { lost, folds } = await live(kind, window, turns);
      folded += folds;
      expect(lost).toEqual([]);
    });
    await fc.assert(property, RUNS);
    expect(folded).toBeGreaterThan(0);
  });
});

/** Each run is an agent of its own: conversations that begin alike would be one. */
let runs = 0;

async function live(kind: SdkKind, window: number, turns: readonly Turn[]) {
  runs += 1;
  const run = `run${runs}`;
  const world = await startWorld({ server: { contextWindow: window }, gateway: { windows: { all: window } } });
  const client = kind.open({ url: world.url });
  const bound = new Map<string, string>([
    ["guide", `Rule kestrel-${run}: keep the harbour log in order.`],
    ["task", `Port exporter ${run} to the new writer.`],
  ]);
  client.say(
    `<system-reminder>\nContents of /repo/CLAUDE.md:\n\n${bound.get("guide")}\n</system-reminder>\n${bound.get("task")}`,
  );
  const lost: string[] = [];
  for (const [index, { said, attached, resultLines }] of turns.entries()) {
    const words = wordsFor(said, { mark: `${run}-${index}`, bound });
    if (words !== undefined) client.say(words);
    const { callCount } = await client.ask(index % 2 === 0);
    const body = world.server.requests.findLast(({ outcome }) => outcome === "answered")?.rawBody ?? "";
    for (const [key, line] of bound) if (!body.includes(line)) lost.push(`turn ${index}, ${key}: ${line}`);
    const outputs = Array.from({ length: callCount }, (_, call) => output(`${run}-${index}-${call}`, resultLines));
    const rules = `Custom of folder ${run}-${index}: ring the bell twice.`;
    const path = `/repo/folder-${run}-${index}/AGENTS.md`;
    if (attached === "reminder")
      outputs[0] += `\n\n<system-reminder>\nInstructions from: ${path}\n${rules}\n</system-reminder>`;
    if (attached === "section")
      outputs[0] += `\n\n--- Context from: ${path} ---\n${rules}\n--- End of Context from: ${path} ---`;
    if (attached !== "nothing") bound.set(path, rules);
    client.giveOutputs(outputs);
  }
  expect(invalidRequests(world.server)).toEqual([]);
  expect(world.sent.filter(({ status }) => status !== 200)).toEqual([]);
  expect(world.incidents).toEqual([]);
  return { lost, folds: world.turns.filter(({ foldIds }) => foldIds.length > 0).length };
}

interface WordsOptions {
  readonly mark: string;
  readonly bound: Map<string, string>;
}

/** What the person says, and what binds from then on. */
function wordsFor(said: Turn["said"], { mark, bound }: WordsOptions): string | undefined {
  switch (said) {
    case "nothing":
      return undefined;
    case "request":
      bound.set("request", `Look at quay ${mark} next.`);
      return `Look at quay ${mark} next.`;
    case "rule":
      bound.set(`rule ${mark}`, `Never paint crane ${mark}.`);
      bound.set("request", `Never paint crane ${mark}.`);
      return `Never paint crane ${mark}.`;
    case "skill":
      bound.set(`skill ${mark}`, `Protocol of ${mark}: signal the tower first.`);
      return `Base directory for this skill: /skills/dock-${mark}\n\nProtocol of ${mark}: signal the tower first.`;
    case "plan mode":
      bound.set("mode", `You MUST NOT make any edits (${mark}).`);
      bound.set("request", `Plan the works of ${mark}.`);
      return `<system-reminder>\nPlan mode is active. You MUST NOT make any edits (${mark}).\n</system-reminder>\nPlan the works of ${mark}.`;
    case "end of plan mode":
      bound.delete("mode");
      bound.set("request", `Now begin with ${mark}.`);
      return `<system-reminder>\nYou have exited plan mode.\n</system-reminder>\nNow begin with ${mark}.`;
  }
}

function output(name: string, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `row ${line} of ${name}: crate ${line * 37} holds ${line % 9} units`,
  ).join("\n");
}
