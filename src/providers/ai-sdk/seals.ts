import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { PROVIDERS, type Seals } from "./provider-table.ts";

const ALL_FIELDS: ReadonlySet<string> = new Set(Object.values(PROVIDERS).flatMap(({ seals }) => seals?.fields ?? []));

/** The seals of a part of a reply, as fields for our block. */
export function readSeals(metadata: SharedV4ProviderMetadata | undefined): Readonly<Record<string, string>> {
  const seals: Record<string, string> = {};
  for (const fields of Object.values(metadata ?? {})) {
    for (const [name, value] of Object.entries(fields)) {
      if (ALL_FIELDS.has(name) && typeof value === "string" && value !== "") seals[name] = value;
    }
  }
  return seals;
}

/** The seals of a block in the package's form; undefined where it has none of this provider. */
export function writeSeals(
  block: object,
  { fields, packageKey }: Seals,
): Record<string, Record<string, string>> | undefined {
  const seals: Record<string, string> = {};
  for (const [name, value] of Object.entries(block)) {
    if (fields.includes(name) && typeof value === "string" && value !== "") seals[name] = value;
  }
  return Object.keys(seals).length === 0 ? undefined : { [packageKey]: seals };
}
