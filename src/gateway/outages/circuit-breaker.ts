import { PalimpsestError } from "../../core/errors.ts";
import { sleep, timerMs } from "../../engine/time-limit.ts";
import { type Probes, startProbes } from "./probes.ts";

/** The outcome of a call through the breaker. */
export type CallOutcome<Value> =
  | { readonly type: "answered"; readonly value: Value }
  /** The call was abandoned, or not made because the breaker is open. `settled` resolves when an abandoned call has ended after all. */
  | { readonly type: "unavailable"; readonly settled: Promise<void> };

/**
 * Protects callers from a store that may hang or fail. While the breaker is closed, calls are made, each with a deadline. The first call that is
 * late or fails opens it. While it is open, no call is made, until a probe in the background is answered and closes it.
 */
export interface CircuitBreaker {
  isOpen(): boolean;
  /**
   * Makes a call unless the breaker is open. Rejects only with an error by which a working store refuses a call, such as "not-found". A call that
   * only reads is made a second time if the store fails and answers again within `restartMs`.
   */
  ask<Value>(call: () => Promise<Value>, options?: AskOptions): Promise<CallOutcome<Value>>;
  /** If the breaker is open, sends a probe now. Resolves when a probe is answered, or after `suspectTimeoutMs`. */
  probeNow(): Promise<void>;
  /** Stops the probes for good. */
  stop(): void;
}

export interface AskOptions {
  /** Whether the call only reads, so that it may be made twice. @default false */
  readonly isReading?: boolean;
}

export interface CircuitBreakerOptions {
  /** Makes a cheap call that changes nothing, to find out whether the store answers. */
  readonly probe: () => Promise<unknown>;
  readonly timeoutMs: number;
  /** Called when the breaker opens: a call was late, or failed with this error. */
  readonly onOpened: (reason: typeof LATE_CALL | { readonly error: unknown }) => void;
  readonly onClosed: () => void;
  readonly timings?: Partial<BreakerTimings> | undefined;
}

export interface BreakerTimings {
  /** The deadline of calls for a while after the breaker was closed again. */
  readonly suspectTimeoutMs: number;
  /** For how long after the breaker was closed that deadline holds. */
  readonly suspectForMs: number;
  /** The time from the opening to the first probe. It is doubled after each probe that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** If a probe takes longer, another one is sent beside it. */
  readonly probeTimeoutMs: number;
  /**
   * How long calls wait for a store that failed and may be restarting. They do not wait for one that hangs, which has cost a deadline already. Without
   * this wait, gateways that share a store would each go on from memory, and their sessions would diverge.
   */
  readonly restartMs: number;
}

/** Given in place of an error if a call missed its deadline. */
export const LATE_CALL = Symbol("late call");

const DEFAULT_TIMINGS: BreakerTimings = {
  suspectTimeoutMs: 900,
  suspectForMs: 60_000,
  pauseMs: 1_000,
  longestPauseMs: 30_000,
  probeTimeoutMs: 10_000,
  restartMs: 0,
};

/** The time between two probes while calls wait for a restart. */
const RESTART_PROBE_MS = 100;

const NO_CALL = Promise.resolve();

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { probe, timeoutMs, onOpened, onClosed } = options;
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  let probes: Probes | undefined;
  /** The functions that abandon the calls in flight. */
  const waiting = new Set<() => void>();
  let isStopped = false;
  let suspectUntil = Number.NEGATIVE_INFINITY;
  let restartsUntil = Number.NEGATIVE_INFINITY;

  function open(reason: typeof LATE_CALL | { readonly error: unknown }): void {
    if (probes !== undefined || isStopped) return;
    probes = startProbes({ probe: async () => answerOf(probe), ...timings });
    void probes.answered.then(close);
    if (reason !== LATE_CALL) restartsUntil = performance.now() + timings.restartMs;
    // The other calls in flight would be late too, each after its own deadline.
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

  /** Waits until a probe is answered, but no longer than `restartMs` after the breaker has opened. */
  async function waitForRestart(): Promise<void> {
    while (probes !== undefined && !isStopped && performance.now() < restartsUntil) {
      probes.sendNow();
      await Promise.race([probes.answered, sleep(RESTART_PROBE_MS)]);
    }
  }

  async function ask<Value>(
    call: () => Promise<Value>,
    { isReading = false }: AskOptions = {},
  ): Promise<CallOutcome<Value>> {
    if (probes !== undefined) await waitForRestart();
    const outcome = await askOnce(call);
    if (outcome.type === "answered" || !isReading || probes === undefined) return outcome;
    await waitForRestart();
    return probes === undefined ? askOnce(call) : outcome;
  }

  async function askOnce<Value>(call: () => Promise<Value>): Promise<CallOutcome<Value>> {
    if (probes !== undefined) return { type: "unavailable", settled: NO_CALL };
    return callWithDeadline(call, { deadlineMs: deadlineMs(), waiting, open });
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

interface CallPorts {
  readonly deadlineMs: number;
  /** Has the function that abandons the call for as long as the call is waited for. */
  readonly waiting: Set<() => void>;
  /** Opens the breaker, which abandons all calls in flight. */
  readonly open: (reason: typeof LATE_CALL | { readonly error: unknown }) => void;
}

function callWithDeadline<Value>(
  call: () => Promise<Value>,
  { deadlineMs, waiting, open }: CallPorts,
): Promise<CallOutcome<Value>> {
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
    // After `setImmediate`, because an answer may have arrived in time and be unread if this process itself was busy.
    const timer = setTimeout(() => setImmediate(() => waiting.has(abandon) && open(LATE_CALL)), timerMs(deadlineMs));
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

/** Whether an error is the refusal of a store that works. Every other error means that the store cannot be used now. */
export function isRefusal(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code !== "store-failed";
}

/** Makes a call, and resolves also if a working store refuses it. Rejects with every other error. */
async function answerOf(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
