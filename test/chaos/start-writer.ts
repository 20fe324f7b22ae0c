import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { WriterLine, WriterTask } from "./writer-lines.ts";

/** A writer in a process of its own. */
export interface Writer {
  /** Resolves when it is loaded and waits for `begin`. */
  readonly ready: Promise<void>;
  /** What it has told so far. */
  readonly lines: readonly WriterLine[];
  /** Resolves when it has ended and all that it told was read. */
  readonly ended: Promise<WriterEnd>;
  begin(): void;
  /** Lets it end what it does at the moment. */
  stop(): void;
  /** Ends it at once, as a power failure would. */
  kill(): void;
}

export interface WriterEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Halves the time that a writer takes to load. */
const COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.palimpsest/compile-cache");

export function startWriter(task: WriterTask): Writer {
  const script = join(import.meta.dirname, "writer.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ["pipe", "pipe", "inherit"],
  });
  // One that was killed can be told nothing any more.
  child.stdin.on("error", () => undefined);
  const lines: WriterLine[] = [];
  const reader = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve, reject) => {
    reader.on("line", (text) => {
      const line = readLine(text);
      if (line === undefined) return;
      lines.push(line);
      if (line.type === "ready") resolve();
    });
    child.on("close", () => reject(new Error(`The writer ${task.name} ended before it was ready.`)));
  });
  // A spare one that is not needed any more is missed by nobody.
  ready.catch(() => undefined);
  const isRead = once(reader, "close");
  const ended = once(child, "close").then(async ([code, signal]): Promise<WriterEnd> => {
    await isRead;
    return { code, signal };
  });
  return {
    ready,
    lines,
    ended,
    begin: () => void child.stdin.write("begin\n"),
    stop: () => void child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Undefined for the half line of a writer that was killed while it wrote: what it tells was not acknowledged. */
function readLine(text: string): WriterLine | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
