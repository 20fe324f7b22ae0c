import { assertObject, describeValue } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import type { CondenseDefaults } from "./condense-defaults.ts";
import type { ModelEntry, ModelPrices, TokenPrices } from "./model-entry.ts";
import { modelWords } from "./model-words.ts";

/** Throws `invalid-argument` where a field has an impossible value; the message names the field, its value and what is allowed. */
export function validateEntry(entry: ModelEntry): void {
  assertObject("A model entry", entry);
  const check = checkerOf(entry);
  const { aliases = [], pricesUsdPerMillion: prices } = entry;
  check("aliases", aliases, Array.isArray(aliases), "an array of names");
  check("id", entry.id, isName(entry.id), NAME);
  for (const [index, alias] of aliases.entries()) check(`aliases[${index}]`, alias, isName(alias), NAME);
  check(
    "pricesUsdPerMillion",
    prices,
    PRICE_TYPES.includes(prices?.type),
    `an object of type ${PRICE_TYPES.join(", ")}`,
  );
  check("contextWindow", entry.contextWindow, isCount(entry.contextWindow), COUNT);
  check("outputLimitTokens", entry.outputLimitTokens, isCount(entry.outputLimitTokens), COUNT);
  const { extendedContextWindow: extended, inputLimitTokens: inputLimit, tokenRatio } = entry;
  if (extended !== undefined) {
    const allowed = isCount(extended) && extended >= entry.contextWindow;
    check("extendedContextWindow", extended, allowed, `a whole number of at least ${entry.contextWindow}`);
  }
  if (inputLimit !== undefined) check("inputLimitTokens", inputLimit, isCount(inputLimit), COUNT);
  if (tokenRatio !== undefined) check("tokenRatio", tokenRatio, isAmount(tokenRatio) && tokenRatio > 0, POSITIVE);
  check("cacheTtlMs", entry.cacheTtlMs, isAmount(entry.cacheTtlMs), AMOUNT);
  validatePrices(entry.pricesUsdPerMillion, check);
  if (entry.condense !== undefined) validateCondense(entry.condense, check);
}

type Check = (field: string, value: unknown, isAllowed: boolean, allowed: string) => void;

const PRICE_TYPES: readonly unknown[] = ["metered", "self-hosted", "unknown"] satisfies readonly ModelPrices["type"][];
const NAME = "a name with a letter or a digit";
const COUNT = "a whole number of at least 1";
const AMOUNT = "a number of at least 0";
const POSITIVE = "a number above 0";

function isName(name: unknown): boolean {
  return typeof name === "string" && modelWords(name).length > 0;
}

function checkerOf(entry: ModelEntry): Check {
  return (field, value, isAllowed, allowed) => {
    if (isAllowed) return;
    throw new PalimpsestError(
      "invalid-argument",
      `Model entry "${entry.id}": ${field} is ${describeValue(value)}; it must be ${allowed}.`,
    );
  };
}

function validatePrices(prices: ModelPrices, check: Check): void {
  if (prices.type !== "metered") return;
  validateTokenPrices("pricesUsdPerMillion", prices, check);
  let above = 0;
  for (const [i, long] of (prices.longPrompts ?? []).entries()) {
    const field = `pricesUsdPerMillion.longPrompts[${i}]`;
    const allowed = isCount(long.aboveTokens) && long.aboveTokens > above;
    check(`${field}.aboveTokens`, long.aboveTokens, allowed, `a whole number above ${above}`);
    validateTokenPrices(field, long, check);
    above = long.aboveTokens;
  }
}

function validateTokenPrices(field: string, prices: TokenPrices, check: Check): void {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = prices;
  for (const [name, price] of Object.entries({ input, output, cacheRead, cacheWrite })) {
    check(`${field}.${name}`, price, isAmount(price), AMOUNT);
  }
}

function validateCondense(condense: CondenseDefaults, check: Check): void {
  const { thresholdPercent, targetReductionPercent, keepMessages, condenseWith } = condense;
  const threshold = thresholdPercent >= 5 && thresholdPercent <= 100;
  check("condense.thresholdPercent", thresholdPercent, threshold, "a number from 5 to 100");
  const reduction = targetReductionPercent > 0 && targetReductionPercent < 100;
  check("condense.targetReductionPercent", targetReductionPercent, reduction, "a number between 0 and 100");
  const keep = keepMessages === 0 || isCount(keepMessages);
  check("condense.keepMessages", keepMessages, keep, "a whole number of at least 0");
  if (condenseWith.type === "model") {
    check("condense.condenseWith.modelId", condenseWith.modelId, condenseWith.modelId !== "", "a model id");
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
