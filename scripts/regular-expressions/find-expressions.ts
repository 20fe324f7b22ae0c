import { relative, resolve } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { isCallExpression, isNewExpression, isRegularExpressionLiteral } from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";

/** A place in a source; `file` is relative to the folder of the configuration. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Expression extends Place {
  readonly source: string;
  readonly flags: string;
  /** As the source has it: the literal, or the construction. */
  readonly text: string;
}

/** `new RegExp(…)` or `RegExp(…)`: what it matches shows when it runs. */
export interface Construction extends Place {
  readonly text: string;
}

export interface FoundExpressions {
  readonly literals: readonly Expression[];
  readonly constructions: readonly Construction[];
}

/** Reads every source of a TypeScript project below one folder, tests left out, with the compiler's own parser. */
export function findExpressions(configFile: string, folder: string): FoundExpressions {
  const api = new API();
  try {
    const root = resolve(configFile, "..");
    const [project] = api.updateSnapshot({ openProjects: [resolve(configFile)] }).getProjects();
    const names = project?.program.getSourceFileNames() ?? [];
    const found = names
      .filter((name) => name.startsWith(`${resolve(folder)}/`) && !name.endsWith(".test.ts"))
      .map((name) => project?.program.getSourceFile(name))
      .filter((file) => file !== undefined)
      .map((file) => expressionsOf(file, root));
    return {
      literals: found.flatMap(({ literals }) => literals),
      constructions: found.flatMap(({ constructions }) => constructions),
    };
  } finally {
    api.close();
  }
}

function expressionsOf(file: SourceFile, root: string): FoundExpressions {
  const literals: Expression[] = [];
  const constructions: Construction[] = [];
  const visit = (node: Node): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    const place = { file: relative(root, file.fileName), line: line + 1 };
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      literals.push({ ...place, source: node.text.slice(1, end), flags: node.text.slice(end + 1), text: node.text });
    } else if ((isNewExpression(node) || isCallExpression(node)) && isNamed(node.expression, file)) {
      constructions.push({ ...place, text: node.getText(file) });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return { literals, constructions };
}

function isNamed(callee: Node, file: SourceFile): boolean {
  return ["RegExp", "globalThis.RegExp"].includes(callee.getText(file));
}
