import { timerMs } from "../../engine/time-limit.ts";

export interface ProbesOptions {
  /** Rejects where there is no answer. */
  readonly probe: () => Promise<void>;
  /** Before the first probe; doubled after each. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** One that takes longer is not waited for alone. */
  readonly probeTimeoutMs: number;
}

/** Calls that are made in the background, now and then, until one is answered. */
export interface Probes {
  /** Resolves with the first answer, and never where they are stopped before. */
  readonly answered: Promise<void>;
  /** Sends one without waiting for its time, unless one is on its way. */
  sendNow(): void;
  stop(): void;
}

/** Each that hangs may hold one of the store's connections. */
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
