import { resolve } from "node:path";

/** Where transcripts of real agents may be: `PALIMPSEST_DATA`, relative to the repository. */
export const DATA_FOLDER = resolve(import.meta.dirname, "../..", process.env.PALIMPSEST_DATA ?? "../shared/data");

/** Where sessions to fit on may be: `PALIMPSEST_TRAINING`, relative to the repository. */
export const TRAINING_FOLDER = resolve(
  import.meta.dirname,
  "../..",
  process.env.PALIMPSEST_TRAINING ?? "../shared/training",
);
