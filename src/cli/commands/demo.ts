import { setTimeout as sleep } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Gateway } from "../../gateway/index.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { introduction, progressLine, recallText, resultTable, stepLine } from "../demo/render.ts";
import { type Replayed, type ReplayStep, replay, STRATEGIES, type Strategy } from "../demo/replay.ts";
import { isFlawless, recallHiddenFacts, reportOn } from "../demo/report.ts";
import { demoFacts } from "../demo/session/demo-facts.ts";
import { demoSession } from "../demo/session/demo-session.ts";
import { dashboardUrl } from "../gateway/open-dashboard.ts";
import { portOption } from "../gateway/port-option.ts";
import { anySignal } from "../terminal/any-signal.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { parseCommandLine } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

const COMMAND: Command = {
  name: "demo",
  about: `Replays a long coding session through a 32k window: condensed without a model (the ledger), by summaries, by
snapshots, and truncated. Then recalls a fact that the ledger's view hides. The condensing model is scripted;
nothing is sent anywhere.`,
  positionals: [],
  options: {
    json: { about: "print the result for machines" },
    up: { about: "then start the gateway, with the replayed session in its store" },
    port: { value: "PORT", about: "where that listens (default: 7717, or any that is free)" },
  },
};

/** How long each turn stays on a person's screen: with the first strategy, and with those after it. */
const FIRST_TURN_MS = 12;
const NEXT_TURN_MS = 2;

const ERASE_LINE = "\r\x1b[K";

/**
 * Replays the bundled session through a 32k window, then recalls a hidden fact; exits with 1 should anything overflow, be
 * invalid, be lost or not be found.
 */
export async function demo(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const isJson = given.flags.has("json");
  const port = portOption(COMMAND, given);
  const session = demoSession();
  const options = { session, facts: demoFacts, contextWindow: 32_000, maxTokens: 4_000 };
  const [shown, ...others] = STRATEGIES;
  const run = (strategy: Strategy) => {
    const show = (step: ReplayStep) => showStep(step, { output, isDetailed: strategy === shown });
    return runToEnd(replay(session, { ...options, strategy }), isJson ? undefined : show);
  };
  if (!isJson) output.write(introduction(session, { ...options, strategy: shown }));
  const first = await run(shown);
  const runs = [first.result];
  for (const strategy of others) runs.push((await run(strategy)).result);
  const { recalled, firstTookMs } = await recallHiddenFacts(first.session, demoFacts);
  const report = reportOn(runs, { ...options, recalled });
  if (output.isTTY === true && !isJson) output.write(ERASE_LINE);
  const told = isJson
    ? `${JSON.stringify(report, undefined, 2)}\n`
    : resultTable(report) + recallText(report, firstTookMs);
  output.write(told);
  if (given.flags.has("up")) await serve(first.session, { port, output });
  return isFlawless(report) ? 0 : 1;
}

async function runToEnd(
  replaying: AsyncGenerator<ReplayStep, Replayed>,
  show: ((step: ReplayStep) => Promise<void>) | undefined,
): Promise<Replayed> {
  for (;;) {
    const next = await replaying.next();
    if (next.done === true) return next.value;
    await show?.(next.value);
  }
}

interface Shown {
  readonly output: Output;
  /** Whether turns at which something was folded stay on the screen. */
  readonly isDetailed: boolean;
}

async function showStep(step: ReplayStep, { output, isDetailed }: Shown): Promise<void> {
  const isTerminal = output.isTTY === true;
  const line = isDetailed ? stepLine(step) : undefined;
  if (line !== undefined) output.write(`${isTerminal ? ERASE_LINE : ""}${line}\n`);
  if (!isTerminal) return;
  output.write(`${ERASE_LINE}${progressLine(step)}`);
  await sleep(isDetailed ? FIRST_TURN_MS : NEXT_TURN_MS);
}

/** Until someone ends it. */
async function serve(
  session: Session,
  { port, output }: { readonly port: number | undefined; readonly output: Output },
): Promise<void> {
  const gateway = await startDemoGateway(session, port);
  // Whoever reads that it listens may end it at once.
  const ended = anySignal("SIGINT", "SIGTERM", "SIGHUP");
  output.write(gatewayText(gateway));
  await ended;
  await gateway.close();
}

/** The id of the demo's session in its gateway. */
const DEMO_SESSION_ID = "demo";

/** A gateway with the demo's session in its store, which is gone when the process ends. Another port where that one is taken. */
async function startDemoGateway(session: Session, port?: number): Promise<Gateway> {
  // Whoever only looks at the replay does not wait for the gateway to load.
  const { startGateway } = await import("../../gateway/index.ts");
  const store = memoryStore();
  const engine = createEngine({ model: "claude-sonnet-4-5", store });
  const imported = await engine.importSession(await session.export(), { id: DEMO_SESSION_ID });
  imported.close();
  try {
    return await startGateway({ store, port });
  } catch (error) {
    const isTaken = error instanceof PalimpsestError && error.code === "address-in-use";
    if (!isTaken || port !== undefined) throw error;
    return startGateway({ store, port: 0 });
  }
}

function gatewayText({ url }: Gateway): string {
  return `
The dashboard: ${dashboardUrl(url)}#/session/${DEMO_SESSION_ID}/strata

The gateway listens at ${url}, with this session in its store:

  curl ${url}/palimpsest/api/sessions/${DEMO_SESSION_ID}
  curl "${url}/palimpsest/api/sessions/${DEMO_SESSION_ID}/recall?q=free+feed+pages"

Point an agent at it, and its sessions are there too. Your key goes to your provider as it always does.

  ANTHROPIC_BASE_URL=${url} claude
  GOOGLE_GEMINI_BASE_URL=${url} gemini
  OPENAI_BASE_URL=${url}/v1 qwen

"palimpsest run -- <agent>" does this by itself, and "palimpsest up" keeps the sessions in a file. docs/guides/agents.md
has a section for each agent. Ctrl-C ends this one.
`;
}
