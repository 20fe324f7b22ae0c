import { ASIAN } from "./words/asian.ts";
import { GERMANIC } from "./words/germanic.ts";
import { ROMANCE } from "./words/romance.ts";
import { SLAVIC } from "./words/slavic.ts";

/** The words of all languages that decisions are found in. */
export const DECISION_WORDS = /* @__PURE__ */ Object.assign({}, GERMANIC, ROMANCE, SLAVIC, ASIAN);
