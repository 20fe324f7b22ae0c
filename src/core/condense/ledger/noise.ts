/** Output of tools and programs that is of no use afterwards: acknowledgements, progress, hints what to type next. */
const NOISE: readonly RegExp[] = [
  // Acknowledgements of tools that write files and lists.
  /^the file \S.{0,400} (?:has been|was) (?:updated|created|edited|written)(?: successfully)?\b.{0,120}$/i,
  /^(?:file (?:created|written|updated) successfully|successfully (?:wrote|created|updated|replaced|edited))\b.{0,300}$/i,
  /^todos have been modified successfully\b/i,
  /^(?:<\/?persisted-output>|preview \(first \S{1,12}\):|undefined)$/i,
  // Git's hints, and what it and package managers say while they fetch.
  /^\(use "git /,
  /^(?:remote: )?(?:enumerating|counting|compressing|receiving|resolving|writing|unpacking) (?:objects|deltas)\b/i,
  /^(?:\[[\w:.-]{1,40}\] )?(?:go: )?(?:downloading|extracting|fetching|installing|resolving|collecting|using cached|preparing)\b.{0,200}$/i,
  /^npm (?:notice|warn deprecated)\b/i,
  // Progress.
  /^\[(?:STARTED|COMPLETED|SKIPPED)\] /,
  /^=== (?:RUN|PAUSE|CONT|NAME)\b/,
  /^(?:\?|ok)\s.{1,200}\[no test files\]$/,
  /^[\s#=.>━─█▓░▕▏|/\\-]{0,80}\d{1,3}(?:\.\d{1,2})?\s?%/,
  // JSON of web services that is mostly URLs of their own.
  /(?:"\w{1,40}_url":"[^"]{0,200}",?){3}/,
  // Frames of a stack trace outside of the project.
  /^at .{0,300}(?:node_modules[\\/]|\bnode:|\(internal\/)/,
  /^File ".{0,300}(?:site-packages|lib\/python)/,
];
/** Longer lines are taken to say something. */
const MOST_CHARACTERS = 500;

/** Whether a line of a tool's output is never worth quoting. */
export function isNoise(line: string): boolean {
  if (line.length > MOST_CHARACTERS) return false;
  const text = line.trim();
  return NOISE.some((noise) => noise.test(text));
}

/** Arguments for the part of a file to read: the output shows which part it was. */
const SETTING = /^(?:offset|limit|head_limit|num_lines|start_line|end_line|view_range\.\d)$/i;

/** Whether an argument of a call is never worth quoting. */
export function isSetting(name: string, value: unknown): boolean {
  return typeof value === "number" && SETTING.test(name);
}
