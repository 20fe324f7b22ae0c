import { latePart } from "../late-part.ts";

/** Searches and shows what folds hide. */
export const loadRecall = latePart(() => import("./session-recall.ts"));

/** Sums up what sessions cost. */
export const loadStatement = latePart(() => import("../../core/statement/sum-statement.ts"));

/** Reads messages as a ledger will. */
export const loadLedgerReader = latePart(() => import("./ledger-reader.ts"));
