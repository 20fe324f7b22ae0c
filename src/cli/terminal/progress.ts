import { cutToWidth } from "./display-width.ts";
import { columnsOf, type Environment, type Output } from "./output.ts";
import { oneLine } from "./safe-text.ts";

/** The progress of a slow command: one line on the terminal, redrawn in place, and erased when the command ends. */
export interface Progress {
  /** Draws a text at once: the work that follows may block the event loop. */
  show(what: string): void;
  /** Draws a text while the work runs, with the seconds so far as long as the work does not block the event loop. */
  during<Value>(what: string, work: () => Value | Promise<Value>): Promise<Value>;
}

export interface ProgressOptions {
  /** The stream that the line is drawn on, if it is a terminal. @default process.stderr */
  readonly notes?: Output;
  /** Whether the command prints JSON: then no line is drawn. */
  readonly isJson: boolean;
  /** @default process.env */
  readonly environment?: Environment;
  /** Milliseconds. @default performance.now */
  readonly now?: () => number;
}

const TICK_MS = 1_000;

// Moves the cursor to the first column; erases from the cursor to the end of the line.
const RETURN = "\r";
const ERASE = "\u001b[K";

/** Runs a command's work, and erases the progress line when it ends or fails. */
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
