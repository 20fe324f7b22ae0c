import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, fieldAt } from "../../core/json/read-json.ts";
import { readJsonBody } from "./json-body.ts";

const MESSAGES = [["messages"]];

const read = (text: string, before?: string) => {
  const earlier = before === undefined ? undefined : readJsonBody(Buffer.from(before), MESSAGES);
  const body = readJsonBody(Buffer.from(text), MESSAGES, earlier);
  return { body, earlier };
};

const messagesIn = (value: unknown): readonly unknown[] => {
  return asArray(fieldAt(value, "messages"));
};

const turn = (text: string) => JSON.stringify({ role: "user", content: text });
const bodyOf = (items: readonly string[], behind = "") => `{"model":"m","messages":[${items.join(",")}]${behind}}`;
const TURNS = ["one", "two – three", "漢字", 'four \\ "five"', "six", "seven"].map(turn);

describe("a body that begins with an earlier one", () => {
  test("has the same objects where it has the same bytes, and the others besides", () => {
    const { body, earlier } = read(bodyOf([...TURNS, turn("new"), turn("newer")]), bodyOf(TURNS));
    const [now, before] = [messagesIn(body.value), messagesIn(earlier?.value)];
    expect(body.value).toEqual(JSON.parse(String(body.bytes)));
    expect(now.slice(0, 5).map((item, index) => item === before[index])).toEqual([true, true, true, true, true]);
    expect(now).toHaveLength(8);
  });

  test("serves as the earlier one of the next", () => {
    const { body } = read(bodyOf([...TURNS, turn("é")]), bodyOf(TURNS));
    const next = readJsonBody(Buffer.from(bodyOf([...TURNS, turn("é"), turn("ü"), turn("ö")])), MESSAGES, body);
    expect(next.value).toEqual(JSON.parse(String(next.bytes)));
    expect(messagesIn(next.value)[5]).toBe(messagesIn(body.value)[5]);
  });

  test.each([
    ["a second list of the same name", bodyOf([...TURNS, turn("new")], `,"messages":[${turn("other")}]`)],
    ["an end in the middle of an item", bodyOf(TURNS).slice(0, -9)],
    ["a comma without an item", bodyOf(TURNS).replace("]}", ",]}")],
    ["nothing between two items", bodyOf(TURNS).replace(/,(?=\{"role":"user","content":"seven)/, "")],
    [
      "what is no space to JSON before an item",
      bodyOf(TURNS).replace(/,(?=\{"role":"user","content":"seven)/, ",\u0001"),
    ],
    ["what is no space to JSON behind one", bodyOf(TURNS).replace(/,(?=\{"role":"user","content":"seven)/, "\u000b,")],
    ["fewer items", bodyOf(TURNS.slice(0, 5))],
    ["more behind the list", bodyOf(TURNS, ',"stream":true')],
    ["the same bytes", bodyOf(TURNS)],
  ])("is read as it is: %s", (_what, text) => {
    expect(read(text, bodyOf(TURNS)).body.value).toEqual(tryParseJson(text));
  });

  test("is not mistaken where a number goes on", () => {
    const [before, now] = ["[1,2,3,4,5]", "[1,2,3,4,57]"].map((list) => `{"messages":${list}}`);
    expect(read(now ?? "", before).body.value).toEqual({ messages: [1, 2, 3, 4, 57] });
  });
});

describe("a text without what is not needed", () => {
  test("has each needed item as it stands, what stands between needed neighbours, and all around the list", () => {
    const text = `{ "a" : "é" ,"messages": [ ${TURNS.join(" ,\n ")} ] , "z":[1, 2]}`;
    const { body } = read(text);
    expect(body.sparseText(() => true)).toBe(text);
    expect(body.sparseText((item) => item === 2 || item === 3 || item === 5)).toBe(
      `{ "a" : "é" ,"messages": [ 0,0,${TURNS[2]} ,\n ${TURNS[3]},0,${TURNS[5]} ] , "z":[1, 2]}`,
    );
  });

  test("is the whole text where there is no list, or nothing in it", () => {
    for (const text of ['{"messages":[]}', '{"messages":1}', "[]"]) {
      expect(read(text).body.sparseText(() => false)).toBe(text);
    }
  });

  test("is the same for a body that was read with the help of an earlier one", () => {
    const text = bodyOf([...TURNS, turn("ü"), turn("newer")]);
    const needed = (item: number) => item % 3 !== 1;
    expect(read(text, bodyOf(TURNS)).body.sparseText(needed)).toBe(read(text).body.sparseText(needed));
  });
});

test("whatever a body shares with an earlier one, it is what JSON.parse makes of it", () => {
  const space = fc.constantFrom("", " ", "\n\t");
  const item = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc
      .record({ role: fc.constant("user"), content: fc.string({ unit: "grapheme" }) })
      .map((each) => JSON.stringify(each)),
  );
  const field = fc.constantFrom("", ',"messages":[1]', ',"x":{"messages":[]}', ',"messages":null', ',"messages":[]');
  const shape = fc.record({
    items: fc.array(item, { maxLength: 12 }),
    space,
    behind: field,
    kept: fc.nat(12),
    cut: fc.nat(40),
  });
  const textOf = (items: readonly string[], gap: string, behind: string) =>
    `${gap}{"a":"b"${gap},${gap}"messages":${gap}[${items.join(`${gap},${gap}`)}${gap}]${behind}${gap}}`;
  fc.assert(
    fc.property(shape, shape, fc.boolean(), (one, other, isCut) => {
      const before = textOf(one.items, one.space, one.behind);
      const items = [...one.items.slice(0, one.kept), ...other.items];
      const whole = textOf(items, one.space, other.behind);
      const text = isCut ? whole.slice(0, -other.cut || undefined) : whole;
      const { body } = read(text, before);
      expect(body.value).toEqual(tryParseJson(text));
      const next = readJsonBody(Buffer.from(whole), MESSAGES, body);
      expect(next.value).toEqual(tryParseJson(whole));
      expect(next.sparseText(() => true)).toBe(whole);
      const sparse = tryParseJson(next.sparseText((item) => item % 2 === 0));
      const halved = messagesIn(next.value).map((each, item) => (item % 2 === 0 ? each : 0));
      expect(messagesIn(sparse)).toEqual(halved);
    }),
    PROPERTY_RUNS,
  );
});

test("a list that lies within another object is shared and left out of a text all the same", () => {
  const paths = [["contents"], ["wrapped", "contents"]];
  const wrapped = (items: readonly string[]) => `{"a":1,"wrapped":{"b":2,"contents":[${items.join(",")}],"c":3},"d":4}`;
  const before = readJsonBody(Buffer.from(wrapped(TURNS)), paths);
  const text = wrapped([...TURNS, turn("new")]);
  const body = readJsonBody(Buffer.from(text), paths, before);
  expect(body.value).toEqual(JSON.parse(text));
  expect(fieldAt(body.value, "wrapped", "contents", 3)).toBe(fieldAt(before.value, "wrapped", "contents", 3));
  const sparse = body.sparseText((item) => item === 6);
  expect(JSON.parse(sparse).wrapped).toEqual({ b: 2, contents: [0, 0, 0, 0, 0, 0, JSON.parse(turn("new"))], c: 3 });
});
