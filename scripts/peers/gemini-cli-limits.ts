/** Gemini CLI's module `tokenLimits`. */
import { tokenLimit } from "../../src/compat/index.ts";

export { tokenLimit };

/** The limit of a model that is not known. */
export const DEFAULT_TOKEN_LIMIT = tokenLimit("a model that nobody knows");
