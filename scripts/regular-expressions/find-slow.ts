import type { Exception } from "./exceptions.ts";
import type { Construction, Expression, FoundExpressions, Place } from "./find-expressions.ts";
import type { Verdict } from "./judge-expression.ts";

/** An expression that a construction made when its module was loaded. */
export interface RecordedExpression extends Place {
  readonly source: string;
  readonly flags: string;
}

export interface SlowSearch {
  readonly found: FoundExpressions;
  readonly recorded: readonly RecordedExpression[];
  readonly exceptions: readonly Exception[];
  readonly judge: (source: string, flags: string) => Verdict;
}

/** One line per regular expression that is not known to be linear, and per exception that excepts nothing. */
export function findSlow({ found, recorded, exceptions, judge }: SlowSearch): readonly string[] {
  const used = new Set<Exception>();
  const isExcepted = ({ file, text }: Construction) => {
    const exception = exceptions.find((each) => each.file === file && each.text === text);
    if (exception !== undefined) used.add(exception);
    return exception !== undefined;
  };
  const literals = found.literals.filter((each) => !isExcepted(each));
  const constructions = found.constructions.filter((each) => !isExcepted(each));
  const constructed = constructions.flatMap((construction) => recordedAt(construction, recorded));
  return [
    ...[...literals, ...constructed].flatMap((expression) => faultOf(expression, judge)),
    ...constructions
      .filter((each) => recordedAt(each, recorded).length === 0)
      .map(({ file, line, text }) => `${file}:${line}: ${text} does not run when the module is loaded. ${MEND}`),
    ...exceptions
      .filter((each) => !used.has(each))
      .map(({ file, text }) => `${file}: no longer has ${text}. Remove its exception.`),
  ];
}

const MEND = "Write it otherwise, or give the reason in scripts/regular-expressions/exceptions.ts.";

function recordedAt(construction: Construction, recorded: readonly RecordedExpression[]): readonly Expression[] {
  return recorded
    .filter(({ file, line }) => file === construction.file && line === construction.line)
    .map((each) => ({ ...each, text: `/${each.source}/${each.flags}` }));
}

function faultOf({ file, line, text, source, flags }: Expression, judge: SlowSearch["judge"]): readonly string[] {
  const verdict = judge(source, flags);
  switch (verdict.type) {
    case "linear":
      return [];
    case "super-linear":
      return [`${file}:${line}: ${text} takes ${verdict.complexity} time on ${verdict.attack}. ${MEND}`];
    case "unknown":
      return [`${file}:${line}: ${text} could not be judged: ${verdict.why}. ${MEND}`];
  }
}
