import { describeValue } from "../../core/assert.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { SchemaBreach } from "./load-compilers.ts";

const MAX_ERRORS = 8;
const MAX_ERROR_CHARACTERS = 300;
const MAX_CHOICES = 20;

/** Describes for a model what is wrong with arguments: a few short sentences, each with the place and what is allowed there. */
export function describeBreaches(breaches: readonly SchemaBreach[]): readonly string[] {
  const texts = new Set<string>();
  for (const breach of breaches) {
    if (texts.size > MAX_ERRORS) break;
    texts.add(clip(describeBreach(breach)));
  }
  const all = [...texts];
  return all.length > MAX_ERRORS ? [...all.slice(0, MAX_ERRORS), "There are more errors; mend these first."] : all;
}

function describeBreach(breach: SchemaBreach): string {
  const { keyword, params, message = "is not allowed", parentSchema, data } = breach;
  const place = placeOf(breach.instancePath);
  const given = `${place} is ${describeValue(data)}`;
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return `${inside(place)}${JSON.stringify(params.missingProperty)} is missing.`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownParameter(place, params.additionalProperty ?? params.unevaluatedProperty, parentSchema);
    case "enum":
      return `${given}; it must be one of: ${choices(params.allowedValues)}.`;
    case "const":
      return `${given}; it must be ${choices([params.allowedValue])}.`;
    case "type":
      return `${given}; it must be of type ${[params.type].flat().join(" or ")}.`;
    case "anyOf":
    case "oneOf":
      return `${given}; it must match ${keyword === "oneOf" ? "exactly one" : "one"} of the alternatives in the schema.`;
    case "false schema":
      return `${place} must not be given.`;
    default:
      return `${given}; it ${message}.`;
  }
}

function unknownParameter(place: string, name: unknown, schema: SchemaBreach["parentSchema"]): string {
  const properties = schema?.properties;
  const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const nearest = nearestName(String(name), known, { maxEdits: 2 });
  const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return `${inside(place)}${describeValue(name)} is not a parameter.${hint} Allowed: ${choices(known) || "none"}.`;
}

const ROOT = "The input";

/** `/edits/2/line` → `edits[2].line` */
function placeOf(instancePath: string): string {
  if (instancePath === "") return ROOT;
  const steps = instancePath
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : `${index === 0 ? "" : "."}${step}`)).join("");
}

function inside(place: string): string {
  return place === ROOT ? "" : `In ${place}: `;
}

function choices(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const shown = values.slice(0, MAX_CHOICES).map((value) => JSON.stringify(value) ?? "nothing");
  return [...shown, ...(values.length > MAX_CHOICES ? [`${values.length - MAX_CHOICES} more`] : [])].join(", ");
}

function clip(text: string): string {
  return text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS - 1)}…` : text;
}
