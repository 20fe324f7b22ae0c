import { createJsonScanner, type JsonTokenHandler } from "../json/json-scanner.ts";
import { createJsonTree } from "../json/json-tree.ts";
import { tryParseJson } from "../json/parse-json.ts";
import type { TranscriptProblem } from "./transcript.ts";

// Far more levels than any agent writes; recursive code could exhaust the stack on a deeper document.
const MAX_NESTING = 500;

const MAX_NAMED_KEYS = 12;

// Python writes these numbers, which are not valid JSON: they become null.
const PYTHON_NUMBERS: ReadonlySet<string> = new Set(["NaN", "Infinity", "-Infinity"]);

export interface JsonDocumentOptions {
  /**
   * Whether the value at this path is needed; called once for each value whose parent is needed. The path is only valid
   * during the call. A value that is not needed is left out of its object, and is undefined in its array.
   * @default everything
   */
  readonly needs?: (path: readonly (string | number)[]) => boolean;
}

export interface JsonDocument {
  /** The document as far as it could be read; objects and arrays without an end have the members that are complete. Undefined where nothing is. */
  readonly value: unknown;
  /** What could not be read, and why; empty for a valid document. */
  readonly problems: readonly TranscriptProblem[];
}

/** Reads one JSON document that arrives in pieces of text, in linear time, and builds only what is needed. */
export interface JsonDocumentReader {
  push(text: string): void;
  /** The document so far, without objects inside it that are not closed yet. */
  peek(): unknown;
  finish(): JsonDocument;
}

export function createJsonDocumentReader({ needs = () => true }: JsonDocumentOptions = {}): JsonDocumentReader {
  const builder = createBuilder(needs);
  const scanner = createJsonScanner(builder);
  return {
    push(text) {
      if (!builder.isStopped()) scanner.push(text);
    },
    peek: builder.completeRoot,
    finish() {
      builder.end(scanner.end());
      return { value: builder.root(), problems: builder.problems };
    },
  };
}

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

interface Builder extends JsonTokenHandler {
  readonly problems: readonly TranscriptProblem[];
  root(): unknown;
  completeRoot(): unknown;
  isStopped(): boolean;
  end(isInString: boolean): void;
}

/** Checks the grammar, and builds the values. */
function createBuilder(needs: (path: readonly (string | number)[]) => boolean): Builder {
  const tree = createJsonTree();
  const problems: TranscriptProblem[] = [];
  let expected: Expected = "value";
  let isStopped = false;
  // The open levels of a value that is not needed: only its brackets are counted.
  let skippedLevels = 0;
  let isTokenNeeded = false;

  const report = (reason: string) => void problems.push({ where: describePath(tree.path), reason });
  const stop = (reason: string) => {
    report(reason);
    isStopped = true;
  };
  const isKeyExpected = () => expected === "key" || expected === "key-or-end";
  const isValueExpected = () => expected === "value" || expected === "value-or-end";
  const afterValue = () => {
    expected = tree.inside === undefined ? "nothing" : "comma-or-end";
  };

  const open = (type: "object" | "array") => {
    tree.begin();
    if (!needs(tree.path)) {
      skippedLevels = 1;
      return tree.leaveOut();
    }
    if (tree.depth >= MAX_NESTING) return stop(`Nested more than ${MAX_NESTING} levels deep: not read further.`);
    tree.open(type);
    expected = type === "object" ? "key-or-end" : "value-or-end";
  };
  const close = () => {
    tree.close();
    afterValue();
  };
  const skip = (character: string) => {
    if (character === "{" || character === "[") skippedLevels++;
    else if (character === "}" || character === "]") skippedLevels--;
    if (skippedLevels > 0) return;
    tree.end();
    afterValue();
  };
  const takeValue = (value: unknown) => {
    if (isTokenNeeded) tree.place(value);
    else tree.leaveOut();
    tree.end();
    afterValue();
  };
  const decode = (text: string | undefined): string => {
    if (text === undefined) {
      report("A text here is too long to be held; it was left empty.");
      return "";
    }
    // Parsing also copies the text: a slice would keep the whole input piece in memory.
    const parsed = tryParseJson(`"${text}"`);
    if (typeof parsed === "string") return parsed;
    report("A text here is not written as JSON; it was taken as it stands.");
    return text;
  };

  return {
    problems,
    root: tree.root,
    completeRoot: tree.completeRoot,
    isStopped: () => isStopped,
    keepsText() {
      if (isStopped || skippedLevels > 0) return false;
      if (isKeyExpected()) return true;
      if (!isValueExpected()) return false;
      tree.begin();
      isTokenNeeded = needs(tree.path);
      return isTokenNeeded;
    },
    punctuation(character) {
      if (isStopped) return;
      if (skippedLevels > 0) return skip(character);
      if (character === "{" && isValueExpected()) return open("object");
      if (character === "[" && isValueExpected()) return open("array");
      const isEnd = expected === "comma-or-end";
      if (character === "}" && tree.inside === "object" && (isEnd || expected === "key-or-end")) return close();
      if (character === "]" && tree.inside === "array" && (isEnd || expected === "value-or-end")) return close();
      if (character === ":" && expected === "colon") expected = "value";
      else if (character === "," && isEnd) expected = tree.inside === "object" ? "key" : "value";
      else stop(`A ${character} is not expected here.`);
    },
    string(text) {
      if (isStopped || skippedLevels > 0) return;
      if (isKeyExpected()) {
        tree.name(decode(text));
        expected = "colon";
      } else if (isValueExpected()) takeValue(isTokenNeeded ? decode(text) : undefined);
      else stop("A text is not expected here.");
    },
    word(text = "") {
      if (isStopped || skippedLevels > 0) return;
      const value = isTokenNeeded && !PYTHON_NUMBERS.has(text) ? tryParseJson(text) : null;
      if (value === undefined || !isValueExpected()) stop("Something that is not JSON is here.");
      else takeValue(value);
    },
    end(isInString) {
      if (isStopped || expected === "nothing") return;
      if (tree.root() === undefined && !isInString) stop("There is no JSON here.");
      else stop(isInString ? "The document ends early, inside a text." : "The document ends early.");
    },
  };
}

/** A path such as `messages[3].parts[1]`; "the document" for the root. */
function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the document";
  const keys = path.slice(0, MAX_NAMED_KEYS).map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
  return `${keys.join("").replace(/^\./, "")}${path.length > MAX_NAMED_KEYS ? "…" : ""}`;
}
