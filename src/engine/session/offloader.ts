import { assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { OffloadFiles } from "../../core/ports/offload.ts";
import type { FileText } from "../../core/truncate/offload.ts";
import { attempt } from "../extensions/attempt.ts";
import { type OnFault, reportFault } from "../extensions/fault.ts";
import type { OffloadRun } from "../pipeline/offload-run.ts";
import { withTimeLimit } from "../time-limit.ts";

/** Smaller outputs get no file: the call that reads it would take as many tokens. */
const DEFAULT_MIN_TOKENS = 2_000;
const DEFAULT_TIMEOUT_MS = 5_000;

/** Throws "invalid-argument" where a method is missing or a limit is no number. */
export function assertOffload(offload: OffloadFiles | undefined): void {
  if (offload === undefined) return;
  assertObject("options.offload", offload);
  for (const method of ["pathOf", "write", "remove"] as const) {
    assertFunction(`options.offload.${method}`, offload[method]);
  }
  if (offload.minTokens !== undefined) assertNumber("options.offload.minTokens", offload.minTokens, 0);
  if (offload.timeoutMs !== undefined) assertNumber("options.offload.timeoutMs", offload.timeoutMs, 1);
}

/** Writes the tool outputs of one fold to files, and collects warnings about those that failed. */
export interface Offloading extends OffloadRun {
  warnings(): readonly string[];
}

export interface OffloaderOptions {
  readonly sessionId: string;
  readonly files: OffloadFiles;
  readonly onFault: OnFault;
}

/** Starts writing the files of one fold. A write that fails or hangs becomes a warning, and the fold is made without that file. */
export function startOffloading({ sessionId, files, onFault }: OffloaderOptions): Offloading {
  const { minTokens = DEFAULT_MIN_TOKENS, timeoutMs = DEFAULT_TIMEOUT_MS } = files;
  const failures: string[] = [];
  const call = (method: string) => ({ plugin: "offload", method, onFault });

  async function writeOne({ name, text }: FileText): Promise<readonly string[]> {
    try {
      await withTimeLimit(files.write({ sessionId, name, text }), timeoutMs);
      return [name];
    } catch (error) {
      reportFault(error, call("write"));
      failures.push(describeError(error));
      return [];
    }
  }

  return {
    rule: {
      minTokens,
      pathOf: (name) => attempt(() => checkedPath(files.pathOf({ sessionId, name })), call("pathOf")),
    },
    write: async (added) => new Set((await Promise.all(added.map(writeOne))).flat()),
    warnings: () => {
      const [first, ...others] = failures;
      if (first === undefined) return [];
      const outputs = others.length === 0 ? "A tool output" : `${failures.length} tool outputs`;
      return [`${outputs} could not be written to a file; the stand-ins name none. ${first}`];
    },
  };
}

/** Throws where a path is empty or has a line break: a stand-in is one line. */
function checkedPath(path: unknown): string {
  if (typeof path === "string" && path !== "" && !/[\r\n]/.test(path)) return path;
  throw new PalimpsestError("invalid-argument", "pathOf must give a path of one line; the stand-in names none.");
}
