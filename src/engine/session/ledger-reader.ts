import { forgetMessage, readMessage } from "../../core/condense/ledger/read-message.ts";
import { readStanding } from "../../core/standing/read-standing.ts";
import { createIdleReader } from "./idle-reader.ts";

/** The pause between slices, so that reading ahead takes at most about a fifth of a core. */
const PAUSE_MS = 15;

/** One reader for the process, as all sessions share its time and memory. A million tokens take about half a second to read. */
export const ledgerReader = /* @__PURE__ */ createIdleReader({
  limits: {
    sessions: 16,
    messageTokens: 64_000,
    sessionTokens: 256_000,
    waitingTokens: 1_000_000,
    rememberedTokens: 2_000_000,
    sliceTokens: 8_000,
  },
  read: (message) => {
    readMessage(message);
    // A fold reads the standing context of every message; the result is cached here.
    readStanding(message);
  },
  forget: forgetMessage,
  schedule: (run) => {
    const timer: NodeJS.Timeout | number = setTimeout(run, PAUSE_MS);
    // The timer must not keep the process alive. In browsers and workers it is a number, and cannot.
    if (typeof timer !== "number") timer.unref();
  },
});
