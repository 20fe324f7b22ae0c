import { endOfText } from "./cut-body.ts";

/** The field names and list indexes that lead to a value in a body of JSON. */
export type JsonPath = readonly (string | number)[];

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

interface Open {
  readonly isList: boolean;
  name: string | number;
}

/**
 * The path of the value at an offset of a body, such as `["messages", 3, "content"]`. It depends only on the bytes before the offset: right
 * behind an item, it is that item's path. Linear in the offset.
 */
export function locateByte(bytes: Uint8Array, offset: number): JsonPath {
  const open: Open[] = [];
  let isName = false;
  for (let at = 0; at < Math.min(offset, bytes.length); ) {
    const byte = bytes[at];
    const top = open.at(-1);
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (end > offset) break;
      if (isName && top !== undefined) top.name = new TextDecoder().decode(bytes.subarray(at + 1, end - 1));
      at = end;
      continue;
    }
    at++;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST)
      open.push({ isList: byte === OPEN_LIST, name: byte === OPEN_LIST ? 0 : "" });
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) open.pop();
    else if (byte === COMMA && top?.isList === true) top.name = Number(top.name) + 1;
    if (byte === OPEN_OBJECT) isName = true;
    else if (byte === COMMA) isName = open.at(-1)?.isList === false;
    else if (byte === COLON || byte === OPEN_LIST) isName = false;
  }
  return open.map(({ name }) => name);
}
