import { PalimpsestError } from "../../core/errors.ts";
import { sleep, timerMs } from "../../engine/time-limit.ts";
import { type Probes, startProbes } from "./probes.ts";

/** What came of a call. */
export type CallOutcome<Value> =
  | { readonly type: "answered"; readonly value: Value }
  /** Nobody waits for it any more; `settled` resolves when the call, where one was made, is over after all. */
  | { readonly type: "unavailable"; readonly settled: Promise<void> };

/**
 * Stands before something that may hang or fail. While it is closed, calls pass, each with a deadline. The first that is late or fails opens
 * it: then no call is made until a probe in the background was answered.
 */
export interface CircuitBreaker {
  isOpen(): boolean;
  /** Rejects where the call was answered by a refusal, such as "not-found". One that only reads is made again where the store was restarted. */
  ask<Value>(call: () => Promise<Value>, options?: AskOptions): Promise<CallOutcome<Value>>;
  /** For those who have time: where the breaker is open, sends a probe now. Resolves when it is answered, or late. */
  probeNow(): Promise<void>;
  /** Ends the probes. */
  stop(): void;
}

export interface AskOptions {
  /** Whether to make the call twice is the same as once. @default false */
  readonly isReading?: boolean;
}

export interface CircuitBreakerOptions {
  /** A cheap call that changes nothing. */
  readonly probe: () => Promise<unknown>;
  readonly timeoutMs: number;
  /** The breaker opened: a call was late, or failed with this error. */
  readonly onOpened: (reason: typeof LATE_CALL | { readonly error: unknown }) => void;
  readonly onClosed: () => void;
  readonly timings?: Partial<BreakerTimings> | undefined;
}

export interface BreakerTimings {
  /** How long calls may take for a while after the breaker was closed again. */
  readonly suspectTimeoutMs: number;
  /** For how long after that a shorter deadline holds. */
  readonly suspectForMs: number;
  /** From the opening to the first probe; doubled after each probe that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** A probe that takes longer is not waited for alone: another one is sent beside it. */
  readonly probeTimeoutMs: number;
  /**
   * How long calls wait for something that failed and may be restarting; not for what hangs, which has cost a deadline already. Gateways that
   * share a store would each go on by themselves otherwise.
   */
  readonly restartMs: number;
}

/** In place of an error: the call took longer than it may. */
export const LATE_CALL = Symbol("late call");

const DEFAULT_TIMINGS: BreakerTimings = {
  suspectTimeoutMs: 900,
  suspectForMs: 60_000,
  pauseMs: 1_000,
  longestPauseMs: 30_000,
  probeTimeoutMs: 10_000,
  restartMs: 0,
};

/** Between two probes, while calls wait for a restart. */
const RESTART_PROBE_MS = 100;

const NO_CALL = Promise.resolve();

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { probe, timeoutMs, onOpened, onClosed } = options;
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  let probes: Probes | undefined;
  /** Gives up the calls that someone waits for. */
  const waiting = new Set<() => void>();
  let isStopped = false;
  let suspectUntil = Number.NEGATIVE_INFINITY;
  let restartsUntil = Number.NEGATIVE_INFINITY;

  function open(reason: typeof LATE_CALL | { readonly error: unknown }): void {
    if (probes !== undefined || isStopped) return;
    probes = startProbes({ probe: async () => answerOf(probe), ...timings });
    void probes.answered.then(close);
    if (reason !== LATE_CALL) restartsUntil = performance.now() + timings.restartMs;
    // The others would be late too, each after a deadline of its own.
    for (const abandon of waiting) abandon();
    onOpened(reason);
  }

  function close(): void {
    probes = undefined;
    suspectUntil = performance.now() + timings.suspectForMs;
    onClosed();
  }

  function deadlineMs(): number {
    const suspectMs = timings.suspectTimeoutMs + timings.restartMs;
    return performance.now() < suspectUntil ? Math.min(suspectMs, timeoutMs) : timeoutMs;
  }

  /** Resolves when it answers again, or may no longer be waited for. */
  async function restarted(): Promise<void> {
    while (probes !== undefined && !isStopped && performance.now() < restartsUntil) {
      probes.sendNow();
      await Promise.race([probes.answered, sleep(RESTART_PROBE_MS)]);
    }
  }

  async function ask<Value>(
    call: () => Promise<Value>,
    { isReading = false }: AskOptions = {},
  ): Promise<CallOutcome<Value>> {
    if (probes !== undefined) await restarted();
    const outcome = await askOnce(call);
    if (outcome.type === "answered" || !isReading || probes === undefined) return outcome;
    await restarted();
    return probes === undefined ? askOnce(call) : outcome;
  }

  function askOnce<Value>(call: () => Promise<Value>): Promise<CallOutcome<Value>> {
    if (probes !== undefined) return Promise.resolve({ type: "unavailable", settled: NO_CALL });
    return new Promise((resolve, reject) => {
      const calling = (async () => call())();
      const settled = calling.then(
        () => undefined,
        () => undefined,
      );
      const finish = () => {
        clearTimeout(timer);
        waiting.delete(abandon);
      };
      const abandon = () => {
        finish();
        resolve({ type: "unavailable", settled });
      };
      // Where our own process was busy for so long, the answer may be there and not read yet.
      const timer = setTimeout(
        () => setImmediate(() => waiting.has(abandon) && open(LATE_CALL)),
        timerMs(deadlineMs()),
      );
      waiting.add(abandon);
      calling.then(
        (value) => {
          if (!waiting.has(abandon)) return;
          finish();
          resolve({ type: "answered", value });
        },
        (error: unknown) => {
          if (!waiting.has(abandon)) return;
          if (!isRefusal(error)) return open({ error });
          finish();
          reject(error);
        },
      );
    });
  }

  return {
    isOpen: () => probes !== undefined,
    ask,
    probeNow: async () => {
      if (probes === undefined) return;
      probes.sendNow();
      await Promise.race([probes.answered, sleep(timings.suspectTimeoutMs)]);
    },
    stop: () => {
      isStopped = true;
      probes?.stop();
    },
  };
}

/** Whether a store that works says no: every other error means that it cannot be used now. */
export function isRefusal(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code !== "store-failed";
}

/** A refusal is an answer, too. */
async function answerOf(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
