import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import { valueCode } from "./value-code.ts";
import { valueCommands } from "./value-commands.ts";
import { valuePlans } from "./value-plans.ts";
import { valueRequests } from "./value-requests.ts";
import { valueWords } from "./value-words.ts";

export type AddValue = (line: SourceLine, value: number) => void;

/**
 * What lines are worth for what they are; lines without an entry are worth only what they name. `identifiersWorth` is what all
 * identifiers of the log are worth together.
 */
export function lineValues(blocks: readonly LogBlock[], identifiersWorth: number): ReadonlyMap<SourceLine, number> {
  const values = new Map<SourceLine, number>();
  const add: AddValue = (line, value) => {
    values.set(line, (values.get(line) ?? 0) + value);
  };
  valueRequests(blocks, add);
  valuePlans(blocks, add);
  valueCommands(blocks, add);
  valueWords(blocks, add);
  valueCode(blocks, add, identifiersWorth);
  return values;
}
