import { timerMs } from "../../engine/time-limit.ts";

export interface ProbesOptions {
  /** Makes a call; rejects if it is not answered. */
  readonly probe: () => Promise<void>;
  /** The time before the first probe. It is doubled after each probe that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** If a probe takes longer, another one is sent beside it. */
  readonly probeTimeoutMs: number;
}

/** Calls that are made in the background, with growing pauses, until one is answered. */
export interface Probes {
  /** Resolves with the first answer. Never resolves if the probes are stopped before. */
  readonly answered: Promise<void>;
  /** Sends a probe at once, unless one is in flight. */
  sendNow(): void;
  stop(): void;
}

/** The most probes in flight: each that hangs may occupy one of the store's connections. */
const MOST_UNANSWERED = 3;

export function startProbes({ probe, longestPauseMs, probeTimeoutMs, ...options }: ProbesOptions): Probes {
  let { pauseMs } = options;
  let unanswered = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let markAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    markAnswered = resolve;
  });

  function wait(ms: number): void {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(send, timerMs(ms)).unref();
  }

  function stop(): void {
    isOver = true;
    clearTimeout(timer);
  }

  function send(): void {
    wait(probeTimeoutMs);
    if (unanswered >= MOST_UNANSWERED) return;
    unanswered += 1;
    (async () => probe())().then(
      () => {
        if (isOver) return;
        stop();
        markAnswered();
      },
      () => {
        unanswered -= 1;
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
        wait(pauseMs);
      },
    );
  }

  wait(pauseMs);
  return {
    answered,
    sendNow: () => {
      if (unanswered === 0 && !isOver) send();
    },
    stop,
  };
}
