const MAX_LINE_CHARACTERS = 200;

/** Those of `headings` that no line of the text begins with, whatever marks, numbers or tags it carries. */
export function missingHeadings(text: string, headings: readonly string[]): readonly string[] {
  if (headings.length === 0) return [];
  const lines = text.split("\n").map((line) => bare(line.slice(0, MAX_LINE_CHARACTERS)));
  return headings.filter((heading) => {
    const wanted = bare(heading);
    return !lines.some((line) => line === wanted || line.startsWith(`${wanted} `));
  });
}

/** `## 2. Key_Concepts:`, `<key_concepts>` and `Key concepts` are one. */
function bare(line: string): string {
  const words = line
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words.replace(/^\d{1,3} /, "");
}
