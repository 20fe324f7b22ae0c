import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasNameFault, teachParser } from "../../../test/support/escaped-names.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { buildJson } from "./build-json.ts";
import { parseJson, tryParseJson } from "./parse-json.ts";

const isPlatformAtFault = hasNameFault("is this Node at fault");
if (!isPlatformAtFault) console.log(`skipped: JSON.parse of Node ${process.version} reads names with escapes right`);

test.skipIf(!isPlatformAtFault)("the platform gives a name that is written with an escape another", () => {
  teachParser("platform");
  expect(JSON.parse('{"platform": [ ], "\\u0061": {}}')).toEqual({ platform: [], "\\": {} });
});

test("gives a name that is written with an escape no other", () => {
  teachParser("ours");
  expect(parseJson('{"ours": [ ], "\\u0061": {}}')).toEqual({ ours: [], a: {} });
  expect(parseJson('{"ours": "\\n", "\\u0061" : {}}')).toEqual({ ours: "\n", a: {} });
  expect(parseJson('[{"x":"\\\\"},{"ours":1,"\\n"\n\t:2}]')).toEqual([{ x: "\\" }, { ours: 1, "\n": 2 }]);
});

test("reads again what JSON.stringify wrote", () => {
  teachParser("written");
  for (const name of ['"', "\n", "\\", "\u0000", "\ud800"]) {
    const value = { written: 1, [name]: [name] };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  }
});

const ESCAPED = '"\\u0061\\n"';

describe("as the platform does", () => {
  test.each([
    [`{${ESCAPED}:1,"__proto__":{"b":2}}`, '{"a\\n":1,"__proto__":{"b":2}}'],
    [`{"__proto__":1,${ESCAPED}:2,"\\u005f_proto__":3}`, '{"__proto__":3,"a\\n":2}'],
    [`{"a":1,${ESCAPED}:1,"a":2,"a\\n":3}`, '{"a":2,"a\\n":3}'],
    ['{"b":0,"\\u0031":1,"0":0}', '{"0":0,"1":1,"b":0}'],
    [
      `{${ESCAPED}:[-0,0,-0.0,1e400,-1e-400,1E+2,9007199254740993]}`,
      '{"a\\n":[-0,0,-0,Infinity,-0,100,9007199254740992]}',
    ],
    [` \t\r\n{ ${ESCAPED} \n:\t[ ] , "" : { } } \r\n`, '{"a\\n":[],"":{}}'],
    [`{${ESCAPED}:"\\ud800\\udc00\\udc00 \\/"}`, '{"a\\n":"\ud800\udc00\\udc00 /"}'],
    [`{${ESCAPED}:[true,false,null,"",[[],{}]]}`, '{"a\\n":[true,false,null,"",[[],{}]]}'],
  ])("reads %j", (text, expected) => {
    const value = parseJson(text);
    expect(describeValue(value)).toBe(expected);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    `{${ESCAPED}:1`,
    `{${ESCAPED}:1,}`,
    `{${ESCAPED}:01}`,
    `{${ESCAPED}:"\n"}`,
    `{${ESCAPED}:"\\x"}`,
    `{${ESCAPED}:NaN}`,
    `{${ESCAPED}:1}}`,
    `{${ESCAPED}\u00a0:1}`,
    `\\"a":1`,
    "\\",
    '"\\',
    "",
  ])("refuses %j, in the same words", (text) => {
    const [ours, platforms] = [refusal(() => parseJson(text)), refusal(() => JSON.parse(text))];
    expect(ours).toBeInstanceOf(SyntaxError);
    expect(String(ours)).toBe(String(platforms));
    expect(tryParseJson(text)).toBeUndefined();
  });

  test("reads a hundred thousand levels", () => {
    const levels = 100_000;
    let value = parseJson(`${'{"\\n":['.repeat(levels)}7${"]}".repeat(levels)}`);
    for (let level = 0; level < levels; level++) value = Object.values(value ?? {})[0]?.[0];
    expect(value).toBe(7);
  });

  test("reads a text of millions of escapes", () => {
    const text = '"\\\n'.repeat(1_500_000);
    expect(parseJson(JSON.stringify({ "\n": text }))).toEqual({ "\n": text });
  });
});

/** A value as a list of entries, so that names may occur twice. */
type Model =
  | { readonly type: "scalar"; readonly value: string | number | boolean | null }
  | { readonly type: "list"; readonly items: readonly Model[] }
  | { readonly type: "object"; readonly entries: readonly (readonly [name: string, value: Model])[] };

const name = fc.oneof(
  fc.constantFrom("a", "\\", '"', "\n", "__proto__", "0", "17", "", "é", "\ud800", "toString", "a:b", '":'),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const scalar = fc
  .oneof(
    fc.string({ unit: "binary" }),
    name,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  .map((value): Model => ({ type: "scalar", value }));
const { model } = fc.letrec<{ model: Model }>((tie) => ({
  model: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("model"), { maxLength: 5 }).map((items): Model => ({ type: "list", items })),
    fc.array(fc.tuple(name, tie("model")), { maxLength: 5 }).map((entries): Model => ({ type: "object", entries })),
  ),
}));

/** The value that a model means, by the rules of the specification. */
function meaningOf(given: Model): unknown {
  switch (given.type) {
    case "scalar":
      return given.value;
    case "list":
      return given.items.map(meaningOf);
    case "object": {
      const value = {};
      for (const [key, inner] of given.entries) {
        Object.defineProperty(value, key, {
          value: meaningOf(inner),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return value;
    }
  }
}

/** Writes a model, with escapes and white space where `next` says so. */
function write(given: Model, next: () => number): string {
  const space = () => ["", "", "", " ", "\n\t", "\r "][next() % 6] ?? "";
  const text = (value: string) =>
    `"${value
      .split("")
      .map((unit) => writeUnit(unit, next))
      .join("")}"`;
  const join = (parts: readonly string[]) => parts.map((part) => space() + part + space()).join(",");
  switch (given.type) {
    case "scalar":
      if (typeof given.value === "string") return text(given.value);
      return Object.is(given.value, -0) ? "-0" : String(given.value);
    case "list":
      return `[${join(given.items.map((item) => write(item, next)))}]`;
    case "object":
      return `{${join(given.entries.map(([key, inner]) => `${text(key)}${space()}:${space()}${write(inner, next)}`))}}`;
  }
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\n": "\\n",
  "\t": "\\t",
};

function writeUnit(unit: string, next: () => number): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
  const short = SHORT_ESCAPES[unit];
  const mayStand = unit >= " " && unit !== '"' && unit !== "\\";
  switch (next() % 4) {
    case 0:
      return `\\u${next() % 2 === 0 ? hex : hex.toUpperCase()}`;
    case 1:
      return short ?? (mayStand ? unit : `\\u${hex}`);
    default:
      return mayStand ? unit : (short ?? `\\u${hex}`);
  }
}

/** A value as a text that tells apart what equality may not: -0, the order of names, lists and objects. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describeValue).join()}]`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  const entries = Object.getOwnPropertyNames(value).map(
    (key) => `${JSON.stringify(key)}:${describeValue(Reflect.get(value, key))}`,
  );
  return `{${entries.join()}}`;
}

test("reads every value, with any escapes in names and texts", () => {
  fc.assert(
    fc.property(model, fc.infiniteStream(fc.nat(1_000)), (given, numbers) => {
      const text = write(given, () => Number(numbers.next().value));
      const expected = describeValue(meaningOf(given));
      expect(describeValue(parseJson(text))).toBe(expected);
      expect(describeValue(buildJson(text))).toBe(expected);
    }),
    PROPERTY_RUNS,
  );
});

function refusal(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error;
  }
}
