import { sliceFields } from "../../core/json/json-slices.ts";

/**
 * The text of an object with these of its fields at most so large, where they are numbers. Every other byte is the same. The text must
 * be valid JSON.
 */
export function limitFields(text: string, names: readonly string[], most: number): string {
  const fields = sliceFields(text);
  const slices = names.flatMap((name) => fields?.get(name) ?? []);
  let limited = text;
  // From the end, so that the places before stay where they are.
  for (const { start, end } of slices.toSorted((one, other) => other.start - one.start)) {
    if (Number(text.slice(start, end)) > most) limited = `${limited.slice(0, start)}${most}${limited.slice(end)}`;
  }
  return limited;
}
