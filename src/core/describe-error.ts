/** What went wrong, in one line, whatever was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof Error && error.message !== "") return error.message;
  try {
    return String(error);
  } catch {
    return "Something that cannot be shown was thrown.";
  }
}
