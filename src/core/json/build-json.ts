import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfPlain,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from "./scan-json.ts";

/** A list or an object that is not closed yet. `name` is the property name that was read and has no value yet. */
type OpenValue =
  | { readonly type: "list"; readonly value: unknown[] }
  | { readonly type: "object"; readonly value: Record<string, unknown>; name: string | undefined };

/** Parses a text that is valid JSON, as `JSON.parse` is specified to do. Not recursive, so that any nesting can be read. */
export function buildJson(text: string): unknown {
  const open: OpenValue[] = [];
  let root: unknown;

  const place = (value: unknown) => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (parent.type === "list") parent.value.push(value);
    else setField(parent, value);
  };
  const begin = (container: OpenValue) => {
    place(container.value);
    open.push(container);
  };
  const takeScalar = (token: string) => {
    // A scalar has no property names, which are all that JSON.parse gets wrong.
    const value: unknown = JSON.parse(token);
    const parent = open.at(-1);
    if (parent?.type === "object" && parent.name === undefined) parent.name = String(value);
    else place(value);
  };

  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at++;
    switch (text.charCodeAt(start)) {
      case OPEN_OBJECT:
        begin({ type: "object", value: {}, name: undefined });
        break;
      case OPEN_LIST:
        begin({ type: "list", value: [] });
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open.pop();
        break;
      case COMMA:
      case COLON:
        break;
      case QUOTE:
        at = endOfString(text, start);
        takeScalar(text.slice(start, at));
        break;
      default:
        at = endOfPlain(text, start);
        takeScalar(text.slice(start, at));
    }
  }
  return root;
}

function setField(parent: Extract<OpenValue, { readonly type: "object" }>, value: unknown): void {
  const { value: record, name = "" } = parent;
  parent.name = undefined;
  // Assigning to __proto__ would change what the object is.
  if (name === "__proto__") {
    Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
  } else record[name] = value;
}
