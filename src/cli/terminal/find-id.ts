import { CommandError } from "./command-error.ts";
import { didYouMean } from "./did-you-mean.ts";

const MAX_CANDIDATES = 8;

/** The id that a person means by a whole id, or by the beginning of exactly one. Throws a `CommandError` otherwise. */
export function findId(given: string, ids: readonly string[], noun: string): string {
  const known = new Set(ids);
  if (known.has(given)) return given;
  const candidates = given === "" ? [] : [...known].filter((id) => id.startsWith(given));
  const [only] = candidates;
  if (only === undefined)
    throw new CommandError(1, `There is no ${noun} ${JSON.stringify(given)}.${hint(given, known, noun)}`);
  if (candidates.length === 1) return only;
  throw new CommandError(
    1,
    `${candidates.length} ${noun}s begin with ${JSON.stringify(given)}: ${listed(candidates)}. Type enough of one to tell it from the others.`,
  );
}

/** The commands that list something, by its noun. @default "sessions show" */
const LISTINGS: Readonly<Record<string, string>> = { session: "sessions" };

function hint(given: string, ids: ReadonlySet<string>, noun: string): string {
  if (ids.size === 0) return " There is none at all.";
  const near = didYouMean(given, [...ids]);
  if (near !== "") return near;
  // The beginnings of a few of very many ids help nobody.
  if (ids.size > MAX_CANDIDATES)
    return ` There are ${ids.size}: palimpsest ${LISTINGS[noun] ?? "sessions show"} lists them.`;
  return ` There is: ${listed([...ids])}.`;
}

function listed(ids: readonly string[]): string {
  const more = ids.length - MAX_CANDIDATES;
  const shown = ids.slice(0, MAX_CANDIDATES).map((id) => JSON.stringify(id));
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
