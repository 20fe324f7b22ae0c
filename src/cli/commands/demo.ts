import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PalimpsestError } from "../../core/errors.ts";
import { progressLine, resultTable, stepLine } from "../demo/render.ts";
import { replay } from "../demo/replay.ts";
import { demoSession } from "../demo/session/demo-session.ts";

const HELP = `Usage: palimpsest demo [--json]

Replays a long coding session through a 32k window and shows what happens.

Options
  --json      print the result for machines
  -h, --help  show this text
`;

/** How long each turn stays on a person's screen. */
const TURN_MS = 20;

const ERASE_LINE = "\r\x1b[K";

/** Where the demo is shown; `process.stdout` is one. */
export interface DemoOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Replays the bundled session through a 32k window; exits with 1 should anything overflow or be lost. */
export async function demo(commandArguments: readonly string[], output: DemoOutput = process.stdout): Promise<number> {
  const { json, help } = parseOptions(commandArguments);
  if (help) {
    output.write(HELP);
    return 0;
  }
  const isTerminal = output.isTTY === true;
  const session = demoSession();
  const steps = replay(session, { contextWindow: 32_000, maxTokens: 4_000 });
  if (!json) output.write("A coding session is replayed, turn by turn, through a window of 32,000 tokens.\n\n");
  for (;;) {
    const next = steps.next();
    if (next.done === true) {
      if (isTerminal && !json) output.write(ERASE_LINE);
      output.write(json ? `${JSON.stringify(next.value, undefined, 2)}\n` : resultTable(next.value));
      return next.value.overflows === 0 && next.value.bytesLost === 0 && next.value.invalidViews === 0 ? 0 : 1;
    }
    if (json) continue;
    const line = stepLine(next.value);
    if (line !== undefined) output.write(`${isTerminal ? ERASE_LINE : ""}${line}\n`);
    if (!isTerminal) continue;
    output.write(`${ERASE_LINE}${progressLine(next.value)}`);
    await sleep(TURN_MS);
  }
}

function parseOptions(commandArguments: readonly string[]): { readonly json: boolean; readonly help: boolean } {
  try {
    const { values } = parseArgs({
      args: [...commandArguments],
      options: { json: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
    });
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("invalid-argument", `demo: ${reason}. The only option is --json.`);
  }
}
