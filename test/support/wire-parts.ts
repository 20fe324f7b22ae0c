/** From a log that was folded to what a wire adapter is told to send: as the contract of adapters does it. */
export { canonicalTexts, numberedLog, wireParts } from "../../src/testing/adapter-contract/wire-parts.ts";
