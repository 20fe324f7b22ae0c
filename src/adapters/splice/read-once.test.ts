import { expect, test } from "vitest";
import { readGrowth } from "./read-once.ts";

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
