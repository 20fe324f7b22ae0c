import { expect, test } from "vitest";
import { noteBeginning, noteGrown, readGrowth } from "./read-once.ts";

interface Item {
  readonly name: string;
}

function namesReader() {
  const read: string[][] = [];
  const namesIn = readGrowth("", (known, added: readonly Item[]) => {
    read.push(added.map(({ name }) => name));
    return known + added.map(({ name }) => name).join("");
  });
  return { read, namesIn };
}

const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "c" }];

test("reads of a list that grew only what is new", () => {
  const { read, namesIn } = namesReader();
  const list = [a, b];
  expect(namesIn(list)).toBe("ab");
  expect(namesIn(list)).toBe("ab");
  expect(namesIn([...list, c])).toBe("abc");
  expect(read).toEqual([["a", "b"], ["c"]]);
});

test("reads a list again where an item is another one, or is gone", () => {
  const { read, namesIn } = namesReader();
  const [first, second, third] = [{ name: "1" }, { name: "2" }, { name: "3" }];
  namesIn([first, second, third]);
  expect(namesIn([first, { name: "two" }, third])).toBe("1two3");
  expect(namesIn([first])).toBe("1");
  expect(namesIn([])).toBe("");
  expect(read).toHaveLength(4);
});

/** So many that it is noted what a list begins with. */
const many = Array.from({ length: 64 }, () => ({ name: "-" }));
const dashes = "-".repeat(many.length);

test("takes a noted beginning for read, and reads what is behind it", () => {
  const { read, namesIn } = namesReader();
  const [first, second] = [{ name: "1" }, { name: "2" }];
  const list = [...many];
  const grown = [...many, first];
  namesIn(list);
  noteGrown(grown, list, 64);
  expect(namesIn(grown)).toBe(`${dashes}1`);
  const other = [...many, second];
  noteGrown(other, grown, 64);
  expect(namesIn(other)).toBe(`${dashes}2`);
  // What it came from is no longer what was read last.
  const later = [...many, first, second];
  noteGrown(later, grown, 65);
  expect(namesIn(later)).toBe(`${dashes}12`);
  expect(read.map(({ length }) => length)).toEqual([64, 1, 65, 66]);
});

test("goes by what is noted: no item of a noted beginning is looked at again", () => {
  const { read, namesIn } = namesReader();
  const list = [...many];
  namesIn(list);
  // Nobody does this: lists do not change once they were read.
  const noted = many.map((item, index) => (index === 9 ? { name: "?" } : item));
  noteGrown(noted, list, 64);
  expect(namesIn(noted)).toBe(dashes);
  expect(read.length).toBe(2);
});

test("notes of a beginning what is noted of the whole", () => {
  const { read, namesIn } = namesReader();
  const [first, second] = [{ name: "1" }, { name: "2" }];
  const list = [...many];
  namesIn(list);
  const whole = [...many, first, second];
  noteGrown(whole, list, 64);
  const beginning = whole.slice(0, 65);
  noteBeginning(beginning, whole);
  noteGrown(whole, beginning, 65);
  expect([namesIn(beginning), namesIn(whole)]).toEqual([`${dashes}1`, `${dashes}12`]);
  expect(read.map(({ length }) => length)).toEqual([64, 1, 1]);
});
