import { resolve } from "node:path";

/** Where transcripts of real agents may be: `PALIMPSEST_DATA`, relative to the repository. */
export const DATA_FOLDER = resolve(import.meta.dirname, "../..", process.env.PALIMPSEST_DATA ?? "../shared/data");
