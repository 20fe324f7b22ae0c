/** A regular expression that may stay although it is not known to be linear. */
export interface Exception {
  readonly file: string;
  /** As the source has it: the literal, or the construction. */
  readonly text: string;
  /** Why no text from outside can make it slow. */
  readonly reason: string;
}

const DEMO = "It reads what the demo itself wrote for its scripted model.";

const NO_V_FLAG =
  "recheck does not know the flag v yet. One class of characters, or a run of one, leaves nothing to try again.";

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: "src/core/validators/text-measures.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source that has one
    text: 'new RegExp(String.raw`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]+`, "gv")',
    reason: NO_V_FLAG,
  },
  {
    file: "src/core/validators/text-measures.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source that has one
    text: 'new RegExp(`^[${UNSPACED}]`, "v")',
    reason: NO_V_FLAG,
  },
  {
    file: "src/core/truncate/stand-in.ts",
    text: String.raw`/\B(?=(?:\d{3})+$)/g`,
    reason: "It reads the digits of a number of ours.",
  },
  {
    file: "src/core/evals/report/eval-table.ts",
    text: String.raw`/\B(?=(?:\d{3})+$)/g`,
    reason: "It reads the digits of a number of ours.",
  },
  {
    file: "src/cli/demo/notes.ts",
    text: String.raw`/<earlier_summary>\n([\s\S]*)\n<\/earlier_summary>/`,
    reason: DEMO,
  },
  {
    file: "src/cli/demo/notes.ts",
    text: String.raw`/(?:^|\n\n)\[tool call ([\s\S]*?)\](?=\n\n|$)/g`,
    reason: DEMO,
  },
  {
    file: "src/cli/demo/notes.ts",
    text: String.raw`/<tool_output tool="([^"]*)"( status="error")?>\n([\s\S]*?)\n<\/tool_output>/g`,
    reason: DEMO,
  },
  {
    file: "src/cli/demo/notes.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source that has one
    text: 'new RegExp(`"${field}":"((?:[^"\\\\\\\\]|\\\\\\\\.)*)`)',
    reason: DEMO,
  },
  {
    file: "src/engine/tools/load-compilers.ts",
    text: "new RegExp(source, flags)",
    reason: "It is the pattern of a tool's own JSON Schema: whoever wrote the tool chose it.",
  },
  {
    file: "src/engine/tools/load-compilers.ts",
    text: "new RegExp(source)",
    reason: "It is the pattern of a tool's own JSON Schema: whoever wrote the tool chose it.",
  },
];
