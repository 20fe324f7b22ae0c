import { PalimpsestError } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/tools/tool-definition.ts";

/** One way in which arguments break a schema, with the schema and the value at that place. */
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

/** Makes validators out of the schemas of one draft. */
export type CompileSchema = (schema: JsonSchema) => Validate;

/** `2019` also reads draft 07 and what names no draft. */
export type Draft = "2019" | "2020";

export type Compilers = Readonly<Record<Draft, () => CompileSchema>>;

const OPTIONS = {
  // keywords and formats that we do not know are the tool's own business
  strict: false,
  validateFormats: false,
  logger: false,
  allErrors: true,
  verbose: true,
  // without it, {} has a `constructor`
  ownProperties: true,
  // a definition that is used a thousand times is compiled once
  inlineRefs: false,
  code: { regExp: Object.assign(tolerantRegExp, { code: "new RegExp" }) },
} as const;

/** The `ajv` package, which is loaded when arguments are first checked; "missing-package" where it is not installed. */
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
      // it would keep every schema for ever; ours go with their tools
      compiler.removeSchema(schema);
    }
  };
}

/** Patterns are meant for all kinds of engines: some escapes that are common are refused in Unicode mode. */
function tolerantRegExp(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/** Other packages bring older versions along, which do not have these drafts. */
function missingAjv(error: unknown): PalimpsestError | undefined {
  const isNotFound = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isNotFound) return undefined;
  // a package that is there but lacks one of its own is broken, not missing
  const isAbsent = error.message.includes("'ajv'");
  const isOld = /[\\/]ajv[\\/]dist[\\/]20\d\d\.js'/.test(error.message);
  if (!isAbsent && !isOld) return undefined;
  const found = isOld ? "The ajv that is installed is older than version 8" : "ajv is not installed";
  return new PalimpsestError("missing-package", `${found}. Run: npm install ajv@8`);
}
