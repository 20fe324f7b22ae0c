import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../../core/message/message.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { saveFile } from "../compact/save-file.ts";
import { type DemoGateway, serveDemo, startDemoGateway } from "../demo/demo-gateway.ts";
import { introduction, progressLine, recallText, resultTable, stepLine } from "../demo/render.ts";
import { type Replayed, type ReplayStep, replay, STRATEGIES, type Strategy } from "../demo/replay.ts";
import { isFlawless, recallHiddenFacts, reportOn } from "../demo/report.ts";
import { demoFacts } from "../demo/session/demo-facts.ts";
import { demoSession } from "../demo/session/demo-session.ts";
import { dashboardUrl } from "../gateway/open-dashboard.ts";
import { type Command, portOption, readArguments } from "../terminal/command-line.ts";
import { jsonText, type Output } from "../terminal/output.ts";

const COMMAND: Command = {
  name: "demo",
  about: `Replays a long coding session through a window of 32k tokens, in four ways: condensed without a model
(the ledger), by summaries, by snapshots, and truncated. Then it recalls a fact that the ledger's view
hides. The condensing model is scripted; nothing is sent anywhere.`,
  positionals: [],
  options: {
    json: { about: "print the result for machines" },
    up: { about: "start a gateway that shows the replayed session on its dashboard, until Ctrl-C" },
    port: { value: "PORT", about: "the port of that gateway (default: 7717, or any free one)" },
    html: { value: "FILE", about: "write the session as a page for any browser, as inspect --html does" },
  },
};

/** How long each turn stays on the screen: with the first strategy, and with the ones after it. */
const FIRST_TURN_MS = 12;
const NEXT_TURN_MS = 2;

const ERASE_LINE = "\r\x1b[K";

/**
 * `palimpsest demo`: replays the bundled session through a 32k window, then recalls a hidden fact. Returns the exit code, 1 if a view overflowed or was
 * invalid, a byte was lost, or the fact was not found.
 */
export async function demo(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const isJson = given.flags.has("json");
  const port = portOption(COMMAND, given);
  if (!given.flags.has("up")) return showDemo({ isJson, html: given.values.html, output });
  const shownBy = await startDemoGateway(port);
  try {
    if (!isJson) output.write(`The dashboard: ${dashboardUrl(shownBy.gateway.url)}\n\n`);
    return await showDemo({ isJson, html: given.values.html, output, shownBy });
  } finally {
    await shownBy.gateway.close();
  }
}

interface DemoOptions {
  readonly isJson: boolean;
  /** The file that the session's report is written to. */
  readonly html: string | undefined;
  readonly output: Output;
  /** The gateway that shows the session in the end, until a signal ends it. */
  readonly shownBy?: DemoGateway;
}

async function showDemo({ isJson, html, output, shownBy }: DemoOptions): Promise<number> {
  const session = demoSession();
  const options = { session, facts: demoFacts, contextWindow: 32_000, maxTokens: 4_000 };
  const [shown, ...others] = STRATEGIES;
  const run = (strategy: Strategy) => {
    const show = (step: ReplayStep) => showStep(step, { output, isDetailed: strategy === shown });
    const store = strategy === shown ? shownBy?.store : undefined;
    return runToEnd(replay(session, { ...options, strategy, store }), isJson ? undefined : show);
  };
  if (!isJson) output.write(introduction(session, { ...options, strategy: shown }));
  const first = await run(shown);
  const runs = [first.result];
  for (const strategy of others) runs.push((await run(strategy)).result);
  const { recalled, firstTookMs } = await recallHiddenFacts(first.session, demoFacts);
  const report = reportOn(runs, { ...options, recalled });
  if (output.isTTY === true && !isJson) output.write(ERASE_LINE);
  output.write(isJson ? jsonText(report) : resultTable(report) + recallText(report, firstTookMs));
  if (html !== undefined) await saveDemoReport(html, { session, contextWindow: options.contextWindow });
  if (html !== undefined && !isJson) output.write(`\nThe session as a page for any browser: ${resolve(html)}\n`);
  if (shownBy !== undefined) await serveDemo(shownBy, { session: first.session, output });
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
  /** Whether a line stays on the screen for each turn that folded something. */
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

/** Writes the demo session as one page, as `inspect --html` writes a session file with this window. */
async function saveDemoReport(
  path: string,
  { session, contextWindow }: { readonly session: readonly Message[]; readonly contextWindow: number },
): Promise<void> {
  const { inspectTranscript } = await import("../inspect/inspect-transcript.ts");
  const { writeReport } = await import("../inspect/report/write-report.ts");
  const transcript: Transcript = {
    format: "palimpsest",
    messages: session,
    compactions: [],
    usages: [],
    problems: [],
  };
  const page = writeReport(transcript, inspectTranscript(transcript, { contextWindow }), { name: "demo" });
  await saveFile(path, page, { source: "-", option: "--html" });
}
