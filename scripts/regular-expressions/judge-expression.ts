import type { Diagnostics } from "recheck";

// Of its forms, the one that needs no Java and no binary; it is read when the module is.
process.env.RECHECK_SYNC_BACKEND = "pure";
const { checkSync } = await import("recheck");

export type Verdict =
  | { readonly type: "linear" }
  /** Texts of this form take more than linear time. */
  | { readonly type: "super-linear"; readonly complexity: string; readonly attack: string }
  | { readonly type: "unknown"; readonly why: string };

/** How the time that a regular expression takes grows with its text. No clock decides: the same expression gets the same verdict. */
export function judgeExpression(source: string, flags: string): Verdict {
  const diagnostics: Diagnostics = checkSync(withFewRepeats(source), flags, {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    // What has look-around or back-references is tried with random texts: the same ones each time, and not too many.
    randomSeed: 1,
    maxInitialGenerationSize: 100,
    maxGenerationSize: 40,
    maxIteration: 4,
    attackLimit: 5_000_000,
  });
  switch (diagnostics.status) {
    case "safe":
      return { type: "linear" };
    case "vulnerable":
      return {
        type: "super-linear",
        complexity: diagnostics.complexity.summary,
        attack: diagnostics.attack.pattern,
      };
    case "unknown":
      return { type: "unknown", why: JSON.stringify(diagnostics.error) };
  }
}

const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/;
const ESCAPE = /^\\(?:[pPu]\{[^}]*\}|.)/s;

/**
 * The expression with bounds that are quick to analyse. A bounded repeat of one character adds a constant factor, so its bound may be
 * small; one of a group multiplies what is inside, which may amount to any time there is, so it counts as unbounded.
 */
export function withFewRepeats(source: string): string {
  let written = "";
  let isClass = false;
  for (let index = 0; index < source.length; ) {
    const rest = source.slice(index, index + 40);
    const [escaped] = ESCAPE.exec(rest) ?? [];
    const [repeat, low = "", comma, high = ""] = (!isClass && REPEAT.exec(rest)) || [];
    if (repeat !== undefined)
      written += fewer(Number(low), comma === undefined ? low : high, source[index - 1] === ")");
    else written += escaped ?? source[index];
    if (rest.startsWith("[")) isClass = true;
    else if (rest.startsWith("]")) isClass = false;
    index += (repeat ?? escaped ?? rest[0] ?? "").length;
  }
  return written;
}

function fewer(low: number, high: string, isGroup: boolean): string {
  const least = Math.min(low, 2);
  if (high === "" || (isGroup && Number(high) > Math.max(low, 4))) return `{${least},}`;
  return `{${least},${least + Math.min(Number(high) - low, 2)}}`;
}
