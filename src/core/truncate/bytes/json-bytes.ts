import { serialize } from "../../tokens/serialize.ts";

// Messages and blocks are immutable: each is written out once, however often its view is measured.
const known = new WeakMap<object, number>();

/** Bytes of a message or a block as JSON in UTF-8; measured once per object. */
export function jsonBytes(value: object): number {
  const measured = known.get(value);
  if (measured !== undefined) return measured;
  const bytes = utf8Bytes(serialize(value));
  known.set(value, bytes);
  return bytes;
}

/** Of well-formed text, as JSON is: there each half of a surrogate pair stands for two bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
