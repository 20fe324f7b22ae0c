import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PalimpsestError } from "../../core/errors.ts";
import type { Session } from "../../engine/session/session.ts";
import { STRATEGIES, type Strategy } from "../demo/open-session.ts";
import { recallHiddenFacts } from "../demo/recall-facts.ts";
import { foldsTitle, introduction, progressLine, resultTable, stepLine } from "../demo/render.ts";
import { recallText } from "../demo/render-recall.ts";
import { type Replayed, type ReplayStep, replay } from "../demo/replay.ts";
import { isFlawless, reportOn } from "../demo/report.ts";
import { demoFacts } from "../demo/session/demo-facts.ts";
import { demoSession } from "../demo/session/demo-session.ts";
import { anySignal } from "../terminal/any-signal.ts";

const HELP = `Usage: palimpsest demo [--json] [--up [--port PORT]]

Replays a long coding session through a 32k window: condensed without a model (the ledger), by summaries, by
snapshots, and truncated. Then recalls a fact that the ledger's view hides. The condensing model is scripted;
nothing is sent anywhere.

Options
  --json       print the result for machines
  --up         then start the gateway, with the replayed session in its store
  --port PORT  where that listens (default: 7717, or any that is free)
  -h, --help   show this text
`;

/** How long each turn stays on a person's screen: with the first strategy, and with those after it. */
const FIRST_TURN_MS = 20;
const NEXT_TURN_MS = 5;

const ERASE_LINE = "\r\x1b[K";

/** Where the demo is shown; `process.stdout` is one. */
export interface DemoOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Replays the bundled session through a 32k window, then recalls a hidden fact; exits with 1 should anything overflow, be
 * invalid, be lost or not be found.
 */
export async function demo(commandArguments: readonly string[], output: DemoOutput = process.stdout): Promise<number> {
  const { json, help, up, port } = parseOptions(commandArguments);
  if (help) {
    output.write(HELP);
    return 0;
  }
  const session = demoSession();
  const options = { session, facts: demoFacts, contextWindow: 32_000, maxTokens: 4_000 };
  const [shown, ...others] = STRATEGIES;
  const run = (strategy: Strategy) => {
    const show = (step: ReplayStep) => showStep(step, { output, isDetailed: strategy === shown });
    return runToEnd(replay(session, { ...options, strategy }), json ? undefined : show);
  };
  if (!json) output.write(`${introduction(session, options.contextWindow)}${foldsTitle(shown, options.contextWindow)}`);
  const first = await run(shown);
  const runs = [first.result];
  for (const strategy of others) runs.push((await run(strategy)).result);
  const { recalled, firstTookMs } = await recallHiddenFacts(first.session, demoFacts);
  const report = reportOn(runs, { ...options, recalled });
  if (output.isTTY === true && !json) output.write(ERASE_LINE);
  const told = json
    ? `${JSON.stringify(report, undefined, 2)}\n`
    : resultTable(report) + recallText(report, firstTookMs);
  output.write(told);
  if (up) await serve(first.session, { port, output });
  return isFlawless(report) ? 0 : 1;
}

/** Until someone ends it. */
async function serve(
  session: Session,
  { port, output }: { readonly port: number | undefined; readonly output: DemoOutput },
): Promise<void> {
  const { startDemoGateway, demoGatewayText } = await import("../demo/demo-gateway.ts");
  const gateway = await startDemoGateway(session, port);
  output.write(demoGatewayText(gateway));
  await anySignal("SIGINT", "SIGTERM", "SIGHUP");
  await gateway.close();
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
  readonly output: DemoOutput;
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

interface DemoOptions {
  readonly json: boolean;
  readonly help: boolean;
  readonly up: boolean;
  readonly port: number | undefined;
}

function parseOptions(commandArguments: readonly string[]): DemoOptions {
  try {
    const { values } = parseArgs({
      args: [...commandArguments],
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
        up: { type: "boolean", default: false },
        port: { type: "string" },
      },
    });
    return { ...values, port: values.port === undefined ? undefined : readPort(values.port) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("invalid-argument", `demo: ${reason}. The options are --json, --up and --port.`);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`--port is ${JSON.stringify(text)}; it must be a port: 0 to 65535`);
}
