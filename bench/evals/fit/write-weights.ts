import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { LedgerWeights } from "palimpsest/core";
import type { LedgerDataset } from "./ledger-dataset.ts";

const FILE = resolve(import.meta.dirname, "../../../src/core/condense/ledger/weights.ts");

/** Writes the weights into the file that the ledger takes them from. */
export function writeWeights(weights: LedgerWeights, data: LedgerDataset): string {
  writeFileSync(FILE, weightsSource(weights, data));
  return FILE;
}

function weightsSource({ identifiers, edits }: LedgerWeights, { examples }: LedgerDataset): string {
  const sessions = new Set(examples.map(({ session }) => session));
  const repositories = new Set(examples.map(({ session }) => session.repository));
  const agents = new Set(examples.map(({ session }) => session.agent));
  return `import type { LedgerWeights } from "./ledger-weights.ts";

/**
 * Written by \`npm run evals -- fit\`: do not edit. Fitted to what ${agents.size} agents did next at ${examples.length} moments of ${sessions.size} sessions
 * in ${repositories.size} repositories, with L2 regularisation. \`npm run evals -- --leave-one-out repository\` fits anew without
 * the repository that is measured.
 */
export const LEDGER_WEIGHTS: LedgerWeights = {
  identifiers: {
${entries(identifiers)}
  },
  edits: {
${entries(edits)}
  },
};
`;
}

function entries(weights: Readonly<Record<string, number>>): string {
  return Object.entries(weights)
    .map(([term, weight]) => `    ${term}: ${weight},`)
    .join("\n");
}
