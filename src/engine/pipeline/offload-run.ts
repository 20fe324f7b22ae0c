import type { Message } from "../../core/message/message.ts";
import { addedFiles, type FileText, type OffloadRule } from "../../core/truncate/offload.ts";

/** Writes the tool outputs that the folds of a plan hide to files. */
export interface OffloadRun {
  readonly rule: OffloadRule;
  /** Resolves to the names of the files that could be written. Never rejects. */
  write(files: readonly FileText[]): Promise<ReadonlySet<string>>;
}

/**
 * Takes a step whose stand-ins may name files, and writes the files before it returns the step. If some files cannot be written, the step is taken
 * once more, with stand-ins that name only the others.
 */
export async function writingFiles<Step extends { readonly messages: readonly Message[] }>(
  before: readonly Message[],
  offload: OffloadRun | undefined,
  take: (rule: OffloadRule | undefined) => Promise<Step>,
): Promise<Step> {
  const step = await take(offload?.rule);
  if (offload === undefined) return step;
  const files = addedFiles(before, step.messages);
  if (files.length === 0) return step;
  const written = await offload.write(files);
  if (files.every(({ name }) => written.has(name))) return step;
  const { minTokens, pathOf } = offload.rule;
  return take({ minTokens, pathOf: (name) => (written.has(name) ? pathOf(name) : undefined) });
}
