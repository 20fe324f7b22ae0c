// Keys may come from strangers; no setting is half as long.
const LONGEST_KEY = 40;

interface Surroundings {
  /** The group that the unknown key was found in. */
  readonly path: string;
  /** The paths of all settings. */
  readonly settings: readonly string[];
}

/** The setting, or group of settings, that an unknown key most likely means; of equally near ones, one of its own group. */
export function nearestSetting(key: string, { path, settings }: Surroundings): string {
  const known = [...new Set(settings.flatMap(pathsUpTo))];
  const ranked = known.map((candidate) => {
    const parent = candidate.slice(0, Math.max(0, candidate.lastIndexOf(".")));
    const name = candidate.slice(candidate.lastIndexOf(".") + 1);
    return { candidate, distance: editDistance(key.slice(0, LONGEST_KEY), name) + (parent === path ? 0 : 0.5) };
  });
  return ranked.toSorted((a, b) => a.distance - b.distance)[0]?.candidate ?? path;
}

/** `a.b.*` → a, a.b */
function pathsUpTo(setting: string): readonly string[] {
  const parts = setting.split(".").filter((part) => part !== "*");
  return parts.map((_, index) => parts.slice(0, index + 1).join("."));
}

/** How many characters must be added, removed or replaced to turn one word into the other; case is free. */
function editDistance(from: string, to: string): number {
  const [source, target] = [[...from.toLowerCase()], [...to.toLowerCase()]];
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (const [index, letter] of source.entries()) {
    const next = [index + 1];
    for (const [place, wanted] of target.entries()) {
      const replaced = (row[place] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[target.length] ?? 0;
}
