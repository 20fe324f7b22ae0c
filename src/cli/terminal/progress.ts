import { cutToWidth } from "./display-width.ts";
import { columnsOf, type Environment, type Output } from "./output.ts";
import { oneLine } from "./safe-text.ts";

/** What a person sees of a command that takes its time: one line, redrawn in place, and gone when the command ends. */
export interface Progress {
  /** Says what is done now. Drawn at once: the work behind it may let nothing else run. */
  show(what: string): void;
  /** Says it as long as the work takes; with the seconds, where the work lets others run. */
  during<Value>(what: string, work: () => Value | Promise<Value>): Promise<Value>;
}

export interface ProgressOptions {
  /** Where the line is drawn, where that is a terminal. @default process.stderr */
  readonly notes?: Output;
  /** Whether a machine reads what the command prints: then nothing is drawn. */
  readonly isJson: boolean;
  /** @default process.env */
  readonly environment?: Environment;
  /** Milliseconds. @default performance.now */
  readonly now?: () => number;
}

const TICK_MS = 1_000;

// To the first column; and from there to the end of the line.
const RETURN = "\r";
const ERASE = "\u001b[K";

/** Runs a command's work and takes the line away at its end, also where it fails. */
export async function withProgress<Value>(
  options: ProgressOptions,
  work: (progress: Progress) => Promise<Value>,
): Promise<Value> {
  const { notes = process.stderr, isJson, environment = process.env, now = () => performance.now() } = options;
  const isDrawn = notes.isTTY === true && !isJson && environment.TERM !== "dumb";
  if (!isDrawn) return work(SILENT);
  const line = createLine(notes, now);
  try {
    return await work(line.progress);
  } finally {
    line.erase();
  }
}

const SILENT: Progress = { show: () => {}, during: async (_, work) => work() };

function createLine(notes: Output, now: () => number) {
  let isDrawn = false;

  function draw(what: string): void {
    isDrawn = true;
    // One column is left free: a full line would wrap, and only its last row would be erased.
    notes.write(`${RETURN}${cutToWidth(oneLine(what), columnsOf(notes) - 1)}${ERASE}`);
  }

  const progress: Progress = {
    show: draw,
    during: async (what, work) => {
      const startedAt = now();
      draw(`${what} …`);
      const timer = setInterval(() => draw(`${what} … ${Math.round((now() - startedAt) / 1_000)} s`), TICK_MS);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },
  };
  return { progress, erase: () => (isDrawn ? notes.write(`${RETURN}${ERASE}`) : undefined) };
}
