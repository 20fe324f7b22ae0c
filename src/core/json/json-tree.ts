type Open =
  | { readonly type: "object"; readonly value: Record<string, unknown> }
  | { readonly type: "array"; readonly value: unknown[] };

/** Builds a JSON value from tokens, as they come. */
export interface JsonTree {
  /** The path of the value that is being read, or was read last. */
  readonly path: readonly (string | number)[];
  readonly depth: number;
  /** The type of the innermost open container; undefined outside of the root. */
  readonly inside: Open["type"] | undefined;
  root(): unknown;
  /** The root without the objects in it that are still open; open arrays hold the elements that are complete. */
  completeRoot(): unknown;
  /** Sets the property name of the next value. */
  name(key: string): void;
  /** Starts a value: in an array, it gets the next index. */
  begin(): void;
  place(value: unknown): void;
  /** Leaves out the value that was started: in an array, undefined takes its index. */
  leaveOut(): void;
  open(type: Open["type"]): void;
  close(): void;
  /** Ends the value that was started. */
  end(): void;
}

export function createJsonTree(): JsonTree {
  const path: (string | number)[] = [];
  const open: Open[] = [];
  let root: unknown;

  const place = (value: unknown) => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (parent.type === "array") parent.value.push(value);
    else setField(parent.value, String(path.at(-1)), value);
  };
  const end = () => {
    if (open.length > 0) path.pop();
  };

  return {
    path,
    get depth() {
      return open.length;
    },
    get inside() {
      return open.at(-1)?.type;
    },
    root: () => root,
    completeRoot: () => (open.length === 0 ? root : completePart(open, path)),
    name: (key) => void path.push(key),
    begin() {
      const parent = open.at(-1);
      if (parent?.type === "array") path.push(parent.value.length);
    },
    place,
    leaveOut() {
      if (open.at(-1)?.type === "array") place(undefined);
    },
    open(type) {
      const container: Open = type === "object" ? { type, value: {} } : { type, value: [] };
      place(container.value);
      open.push(container);
    },
    close() {
      open.pop();
      end();
    },
    end,
  };
}

function completePart([outer, ...inner]: readonly Open[], [key, ...path]: readonly (string | number)[]): unknown {
  if (outer === undefined || inner[0] === undefined) return outer?.value;
  const kept = inner[0].type === "array" ? [completePart(inner, path)] : [];
  if (outer.type === "array") return [...outer.value.slice(0, -1), ...kept];
  const { [String(key)]: _, ...rest } = outer.value;
  return kept.length === 0 ? rest : { ...rest, [String(key)]: kept[0] };
}

function setField(record: Record<string, unknown>, key: string, value: unknown): void {
  // Assigning to __proto__ would change what the object is.
  if (key === "__proto__")
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  else record[key] = value;
}
