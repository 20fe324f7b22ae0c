import { countMessagesTokens, type Message } from "palimpsest";
import { BASELINE_STRATEGIES, backTest, type EvalStrategy, runEvals, seededRandom } from "palimpsest/evals";

// A session to measure on. readTranscriptFolder reads such sessions from files.
const messages = harbourLog();
const session = { name: "harbour", messages, compactions: [] };

// A way to compact is a function. This one keeps the first message, and the newest that fit beside it.
const firstAndNewest: EvalStrategy = {
  name: "first and newest",
  compact([first, ...rest], budgetTokens) {
    let kept: readonly Message[] = first === undefined ? [] : [first];
    for (let newest = 1; newest <= rest.length; newest++) {
      const longer = [...kept.slice(0, 1), ...rest.slice(-newest)];
      if (countMessagesTokens(longer) > budgetTokens) break;
      kept = longer;
    }
    return kept;
  },
};

const { rows, cases } = runEvals([session], {
  strategies: [firstAndNewest, ...BASELINE_STRATEGIES],
  budgets: [1_000],
  clock: () => performance.now(),
  random: seededRandom(4),
});
console.log(`${cases[0]?.boundaries} boundaries, ${cases[0]?.meanNeeded.toFixed(1)} needed identifiers on average`);
for (const { strategy, cfrr, frr } of rows) {
  console.log(`${strategy.padEnd(16)} cFRR ${percent(cfrr?.mean).padStart(5)}, FRR ${percent(frr?.mean).padStart(5)}`);
}

// Before a text replaces older messages: how much of what the newest calls used does it name?
const { score, missing } = backTest(messages, "Read so far: all up to src/berth_57.ts.", { calls: 3 });
console.log(`back test: ${percent(score)}, missing ${missing.join(", ")}`);

/** Each berth is listed once, at the beginning, and read once, later. */
function harbourLog(): readonly Message[] {
  const listing = Array.from({ length: 60 }, (_, berth) => `berth ${berth} is described in src/berth_${berth}.ts`);
  const log: Message[] = [{ role: "user", content: `Check all berths:\n${listing.join("\n")}` }];
  for (let berth = 0; berth < 60; berth++) {
    const [id, path] = [`t${berth}`, `src/berth_${berth}.ts`];
    log.push({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path } }] });
    const content = "free, free, taken, free\n".repeat(10);
    log.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  }
  return log;
}

function percent(share = 0): string {
  return `${Math.round(100 * share)} %`;
}
