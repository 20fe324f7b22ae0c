import { join } from "node:path";

/** A project whose own tests are run against `palimpsest/compat`. */
export interface Peer {
  readonly name: string;
  /** The ends of the paths of its test files, without their extension. */
  readonly tests: readonly string[];
  /** Our file for each of its modules, by a pattern for the path by which a test imports it, without the extension. */
  readonly modules: readonly (readonly [RegExp, string])[];
}

const ours = (name: string) => join(import.meta.dirname, name);

export const PEERS: readonly Peer[] = [
  {
    name: "Gemini CLI",
    tests: ["chatCompressionService.test", "tokenCalculation.test", "tokenLimits.test"],
    modules: [
      [/\/(?:chatCompressionService|core\/turn)$/, ours("gemini-cli.ts")],
      [/\/utils\/fileUtils$/, ours("gemini-cli-files.ts")],
      [/\/utils\/environmentContext$/, ours("gemini-cli-surroundings.ts")],
      [/\/telemetry\/loggers$/, ours("gemini-cli-telemetry.ts")],
      [/\/tokenCalculation$/, ours("gemini-cli-counting.ts")],
      [/\/tokenLimits$/, ours("gemini-cli-limits.ts")],
    ],
  },
  {
    name: "Roo Code",
    tests: [
      "core/context-management/__tests__/context-management.spec",
      "core/context-management/__tests__/truncation.spec",
      "core/condense/__tests__/*.spec",
      "core/message-manager/index.spec",
      "utils/__tests__/tiktoken.spec",
    ],
    modules: [
      [/^\.{1,2}\/(?:\.\.\/)?(?:index|condense|tiktoken)$/, ours("roo-code.ts")],
      [/\/providers\/base-provider$|-code\/telemetry$|\/image-cleaning$/, ours("roo-code-surroundings.ts")],
    ],
  },
];
