import { forgetMessage, readMessage } from "../../core/condense/ledger/read-message.ts";
import { readStanding } from "../../core/standing/read-standing.ts";
import { createIdleReader } from "./idle-reader.ts";

/** Between slices: at most about a fifth of a core is spent on what nobody may need. */
const PAUSE_MS = 15;

/** One for the whole process, whose time and memory sessions share. A million tokens take about half a second to read. */
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
    // A fold looks for what binds in every message of the log: what one says by itself is known from here on.
    readStanding(message);
  },
  forget: forgetMessage,
  schedule: (run) => {
    const timer: NodeJS.Timeout | number = setTimeout(run, PAUSE_MS);
    // Nobody's process stays alive for it. In browsers and workers a timer is a number, and keeps nothing alive.
    if (typeof timer !== "number") timer.unref();
  },
});
