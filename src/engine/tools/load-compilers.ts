import { PalimpsestError } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/tools/tool-definition.ts";

/** One breach of a schema, with the schema and the value at that place. */
export interface SchemaBreach {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

export interface Validate {
  (input: unknown): unknown;
  readonly errors?: readonly SchemaBreach[] | null;
}

/** Compiles the schemas of one draft to validators. */
export type CompileSchema = (schema: JsonSchema) => Validate;

/** `2019` also reads draft 07, and schemas that name no draft. */
export type Draft = "2019" | "2020";

export type Compilers = Readonly<Record<Draft, () => CompileSchema>>;

const OPTIONS = {
  // Unknown keywords and formats are ignored.
  strict: false,
  validateFormats: false,
  logger: false,
  allErrors: true,
  verbose: true,
  // Without it, {} would have the property `constructor`.
  ownProperties: true,
  // A definition that is referred to a thousand times is compiled once.
  inlineRefs: false,
  code: { regExp: Object.assign(tolerantRegExp, { code: "new RegExp" }) },
} as const;

/** Loads the `ajv` package. Rejects with "missing-package" where it is not installed, or too old. */
export async function loadCompilers(): Promise<Compilers> {
  try {
    const [{ Ajv2019 }, { Ajv2020 }] = await Promise.all([import("ajv/dist/2019.js"), import("ajv/dist/2020.js")]);
    return { "2019": () => compilerOf(new Ajv2019(OPTIONS)), "2020": () => compilerOf(new Ajv2020(OPTIONS)) };
  } catch (error) {
    throw missingAjv(error) ?? error;
  }
}

interface Compiler {
  compile(schema: object): Validate;
  removeSchema(schema: object): unknown;
}

function compilerOf(compiler: Compiler): CompileSchema {
  return (schema) => {
    try {
      return compiler.compile(schema);
    } finally {
      // The compiler would keep every schema for ever.
      compiler.removeSchema(schema);
    }
  };
}

/** Compiles a pattern without Unicode mode where that mode refuses it: some escapes that are common elsewhere are errors there. */
function tolerantRegExp(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/** The error for a missing or too old ajv, which other packages may have installed; undefined where something else is wrong. */
function missingAjv(error: unknown): PalimpsestError | undefined {
  const isNotFound = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isNotFound) return undefined;
  // An ajv that lacks a dependency of its own is broken, not missing.
  const isAbsent = error.message.includes("'ajv'");
  const isOld = /[\\/]ajv[\\/]dist[\\/]20\d\d\.js'/.test(error.message);
  if (!isAbsent && !isOld) return undefined;
  const found = isOld ? "The ajv that is installed is older than version 8" : "ajv is not installed";
  return new PalimpsestError("missing-package", `${found}. Run: npm install ajv@8`);
}
