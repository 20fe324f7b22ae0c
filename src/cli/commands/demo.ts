import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PalimpsestError } from "../../core/errors.ts";
import { progressLine, resultTable, stepLine } from "../demo/render.ts";
import { replay } from "../demo/replay.ts";
import { demoSession } from "../demo/session/demo-session.ts";

/** How long each turn stays on a person's screen. */
const TURN_MS = 20;

/** Replays the bundled session through a 32k window; exits with 1 should anything overflow or be lost. */
export async function demo(commandArguments: readonly string[]): Promise<number> {
  const { json } = parseOptions(commandArguments);
  const isTerminal = process.stdout.isTTY === true;
  const session = demoSession();
  const steps = replay(session, { contextWindow: 32_000, maxTokens: 4_000 });
  if (!json) process.stdout.write("A coding session is replayed, turn by turn, through a window of 32,000 tokens.\n\n");
  for (;;) {
    const next = steps.next();
    if (next.done === true) {
      if (isTerminal && !json) process.stdout.write("\r\x1b[K\n");
      process.stdout.write(json ? `${JSON.stringify(next.value, undefined, 2)}\n` : resultTable(next.value));
      return next.value.overflows === 0 && next.value.bytesLost === 0 && next.value.invalidViews === 0 ? 0 : 1;
    }
    if (json) continue;
    const line = stepLine(next.value);
    if (line !== undefined) process.stdout.write(`${isTerminal ? "\r\x1b[K" : ""}${line}\n`);
    if (!isTerminal) continue;
    process.stdout.write(`\r\x1b[K${progressLine(next.value)}`);
    await sleep(TURN_MS);
  }
}

function parseOptions(commandArguments: readonly string[]): { readonly json: boolean } {
  try {
    const { values } = parseArgs({
      args: [...commandArguments],
      options: { json: { type: "boolean", default: false } },
    });
    return { json: values.json };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PalimpsestError("invalid-argument", `demo: ${reason}. The only option is --json.`);
  }
}
