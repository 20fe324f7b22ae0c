import { Worker } from "node:worker_threads";
import type { CondensationRefusal } from "../../core/condense/condensation-plan.ts";
import type { LedgerPlan } from "../../core/condense/ledger/plan-ledger.ts";
import type { Message } from "../../core/message/message.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import { batchesOf } from "../message-batches.ts";
import { createHandedLogs, type HandedLog } from "./handed-logs.ts";
import type { FromLedgerThread, SentLedgerTask, ToLedgerThread } from "./ledger-messages.ts";

export interface PlanInThread {
  readonly messages: readonly Message[];
  readonly task: SentLedgerTask;
  readonly pacer: Pacer;
  readonly signal?: AbortSignal | undefined;
}

/** A worker thread that plans ledgers. It is started on first use, and ended after a while without use, as it loads a tokenizer vocabulary of its own. */
export interface LedgerThread {
  /** Sends a log to the thread and has it judged, ahead of a plan that begins with it. Returns a function that cancels this. */
  judgeAhead(messages: readonly Message[], pacer: Pacer): () => void;
  /** Plans a ledger in the thread. Rejects where planning or the thread fails, or the signal aborts. */
  plan(planned: PlanInThread): Promise<LedgerPlan | CondensationRefusal>;
  /** Whether the thread runs now. */
  isRunning(): boolean;
  close(): Promise<void>;
}

export interface LedgerThreadOptions {
  /** After how long without use the thread is ended. @default 30 seconds */
  readonly idleMs?: number | undefined;
}

const IDLE_MS = 30_000;
/** Logs are sent to the thread in batches: other work of this thread gets its turn between two of them. */
const SENT_BATCH = { messages: 64, size: 256 * 1024, sizeOf: lengthOf };

interface Waiting {
  resolve(plan: LedgerPlan | CondensationRefusal): void;
  reject(error: unknown): void;
}

export function createLedgerThread({ idleMs = IDLE_MS }: LedgerThreadOptions = {}): LedgerThread {
  let nextId = 1;
  const waiting = new Map<number, Waiting>();
  const host = createThreadHost({ idleMs, onAnswer: settle, onEnd: rejectAll, onGone: () => handed.clear() });
  const handed = createHandedLogs((id) => host.running()?.postMessage({ type: "forget", id } satisfies ToLedgerThread));

  function settle(answer: FromLedgerThread): void {
    const asked = waiting.get(answer.id);
    if (asked === undefined) return;
    finish(answer.id);
    if (answer.type === "planned") asked.resolve(answer.plan);
    else asked.reject(new Error(answer.error));
  }

  function rejectAll(error: unknown): void {
    for (const [id, { reject }] of [...waiting]) {
      finish(id);
      reject(error);
    }
  }

  function finish(id: number): void {
    waiting.delete(id);
    endWhenIdle();
  }

  function endWhenIdle(): void {
    if (waiting.size === 0) host.endLater();
  }

  function judgeAhead(messages: readonly Message[], pacer: Pacer): () => void {
    const worker = host.start();
    const log = handed.extend(messages) ?? handed.add(nextId++, messages);
    const isWanted = () => log.isHeld && host.running() === worker;
    void handOver(log, worker, { pacer, isWanted });
    endWhenIdle();
    return () => handed.release(log);
  }

  async function plan({ messages, task, pacer, signal }: PlanInThread): Promise<LedgerPlan | CondensationRefusal> {
    const worker = host.start();
    const id = nextId++;
    const planned = new Promise<LedgerPlan | CondensationRefusal>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
    });
    // The plan may be rejected while messages are still being sent: without a handler the process would end.
    planned.catch(() => undefined);
    const send = (message: ToLedgerThread) => worker.postMessage(message);
    const isWaitedFor = () => waiting.has(id) && signal?.aborted !== true;
    const after = handed.find(messages);
    try {
      for (const batch of batchesOf(messages.slice(after?.messages ?? 0), SENT_BATCH)) {
        if (!isWaitedFor()) break;
        send({ type: "messages", id, messages: batch });
        const paused = pacer.pause();
        if (paused !== undefined) await paused;
      }
      signal?.throwIfAborted();
      send({ type: "plan", id, task, ...(after === undefined ? {} : { after }) });
    } catch (error) {
      send({ type: "forget", id });
      finish(id);
      throw error;
    }
    return planned;
  }

  return { judgeAhead, plan, isRunning: () => host.running() !== undefined, close: host.stop };
}

interface HandOverPorts {
  readonly pacer: Pacer;
  /** Whether the log is still needed in the thread that it is sent to. */
  readonly isWanted: () => boolean;
}

/** Sends the part of a log that the thread does not have yet, and has it judged. */
async function handOver(log: HandedLog, worker: Worker, { pacer, isWanted }: HandOverPorts): Promise<void> {
  const send = (message: ToLedgerThread) => worker.postMessage(message);
  for (const batch of batchesOf(log.messages.slice(log.handedMessages), SENT_BATCH)) {
    if (!isWanted()) return;
    send({ type: "messages", id: log.id, messages: batch });
    log.handedMessages += batch.length;
    await pacer.pause();
  }
  if (isWanted()) send({ type: "judge", id: log.id });
}

/** Starts and ends the worker: one runs from the first use until it was idle for a while. */
interface ThreadHost {
  running(): Worker | undefined;
  /** Returns the running worker, and starts one where none runs. */
  start(): Worker;
  /** Ends the worker after a while, unless it is used again before. */
  endLater(): void;
  stop(): Promise<void>;
}

interface ThreadHostOptions {
  readonly idleMs: number;
  readonly onAnswer: (answer: FromLedgerThread) => void;
  /** Called when a worker has ended or failed: it answers nothing any more. */
  readonly onEnd: (error: unknown) => void;
  /** Called when the running worker is gone, and all that it knew. */
  readonly onGone: () => void;
}

function createThreadHost({ idleMs, onAnswer, onEnd, onGone }: ThreadHostOptions): ThreadHost {
  let running: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function end(worker: Worker, error: unknown): void {
    if (running === worker) {
      running = undefined;
      onGone();
    }
    onEnd(error);
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const worker = running;
    running = undefined;
    onGone();
    await worker?.terminate();
  }

  return {
    running: () => running,
    start: () => {
      clearTimeout(idle);
      if (running !== undefined) return running;
      const worker = new Worker(workerFile());
      // The thread must not keep the process alive.
      worker.unref();
      worker.on("message", onAnswer);
      worker.on("error", (error) => end(worker, error));
      worker.on("exit", (code) => end(worker, new Error(`The ledger's thread ended with ${code}.`)));
      running = worker;
      return worker;
    },
    endLater: () => {
      clearTimeout(idle);
      idle = setTimeout(() => void stop(), idleMs);
      idle.unref();
    },
    stop,
  };
}

/** About how many characters a message has. */
export function lengthOf({ content }: Message): number {
  if (typeof content === "string") return content.length;
  let length = 0;
  for (const block of content) {
    if ("text" in block && typeof block.text === "string") length += block.text.length;
    if ("content" in block && typeof block.content === "string") length += block.content.length;
  }
  return length;
}

/** The worker's file: beside this one among the sources, in `gateway/` of the bundle, where this code may be in a shared chunk. */
function workerFile(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(isSource ? "./ledger-worker.ts" : "../gateway/ledger-worker.js", import.meta.url);
}
