/** Marks for Anthropic's prompt cache, beside those that the agent sets. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { asArray, fieldAt } from "../../core/json/read-json.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { anthropicAdapter } from "./index.ts";

const MARK = { cache_control: { type: "ephemeral" } };
const HOUR = { cache_control: { type: "ephemeral", ttl: "1h" } };
const FIVE = { promptTtl: "5m" } as const;

const said = (text: string, mark: object = {}) => ({ role: "user", content: [{ type: "text", text, ...mark }] });
const replied = (content: unknown) => ({ role: "assistant", content });
const TALK = [said("one"), replied("two"), said("three"), replied("four"), said("five"), replied("six"), said("seven")];
const STAND_IN: WirePart = {
  type: "stand-in",
  message: { role: "user", content: "What came before.", isSummary: true, condenseId: "c1" },
};
const originals = (from: number, to = TALK.length): readonly WirePart[] =>
  Array.from({ length: to - from }, (_, offset) => ({ type: "original", index: from + offset }));
/** A summary of the first four messages, and the others. */
const FOLDED = [STAND_IN, ...originals(4)];

function write(
  body: object,
  parts: readonly WirePart[] = FOLDED,
  breakpoints: Parameters<typeof anthropicAdapter.writeRequest>[2] = FIVE,
) {
  const text = JSON.stringify(body);
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body: text });
  if (request === undefined) throw new Error("The request was not read.");
  return parseJson(anthropicAdapter.writeRequest(request, parts, breakpoints));
}

/** The lifetimes of all marks, by the places of their blocks. */
function marksIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(markEntries(value, ""));
}

function markEntries(value: unknown, place: string): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [];
  const mark = fieldAt(value, "cache_control") ?? undefined;
  const inner = Object.entries(value).flatMap(([name, each]) =>
    name === "cache_control" ? [] : markEntries(each, `${place}/${name}`),
  );
  return mark === undefined ? inner : [[place, String(fieldAt(mark, "ttl") ?? "5m")], ...inner];
}

describe("where the agent sets no marks", () => {
  test("the system prompt, the summary, the newest message and the one of the user's before it are marked", () => {
    const body = write({ system: "You help.", tools: [{ name: "read" }], messages: TALK });
    expect(marksIn(body)).toEqual({
      "/system/0": "5m",
      "/messages/0/content/0": "5m",
      "/messages/1/content/0": "5m",
      "/messages/3/content/0": "5m",
    });
    expect(fieldAt(body, "system")).toEqual([{ type: "text", text: "You help.", ...MARK }]);
  });

  test("the last tool is marked where there is no system prompt", () => {
    const body = write({ tools: [{ name: "read" }, { name: "write" }], messages: TALK });
    expect(marksIn(body)).toMatchObject({ "/tools/1": "5m" });
  });

  test("what stands before the conversation can be kept for an hour", () => {
    const system = [
      { type: "text", text: "You" },
      { type: "text", text: "help." },
    ];
    const { "/system/1": ttl, ...others } = marksIn(write({ system, messages: TALK }, FOLDED, { promptTtl: "1h" }));
    expect(ttl).toBe("1h");
    expect(new Set(Object.values(others))).toEqual(new Set(["5m"]));
  });

  test("nothing is marked where no marks are asked for, or tokens are only counted", () => {
    const body = JSON.stringify({ system: "You help.", messages: TALK });
    const read = (path: string) => anthropicAdapter.readRequest({ path, body });
    const [asked, counted] = [read("/v1/messages"), read("/v1/messages/count_tokens")];
    expect(asked && anthropicAdapter.writeRequest(asked, FOLDED)).not.toContain("cache_control");
    expect(counted && anthropicAdapter.writeRequest(counted, FOLDED, FIVE)).not.toContain("cache_control");
  });

  test("a request of which nothing is folded is marked, too, where marks are asked for", () => {
    const body = write({ system: "You help.", messages: TALK }, originals(0));
    expect(Object.keys(marksIn(body))).toEqual(["/system/0", "/messages/4/content/0", "/messages/6/content/0"]);
  });
});

describe("where the agent sets marks", () => {
  test("its own stay where they are, and there are four at the most", () => {
    const system = [
      { type: "text", text: "a", ...MARK },
      { type: "text", text: "b", ...MARK },
    ];
    const messages = [...TALK.slice(0, 6), said("seven", MARK)];
    const body = write({ system, messages });
    expect(Object.keys(marksIn(body))).toEqual([
      "/system/0",
      "/system/1",
      "/messages/0/content/0",
      "/messages/3/content/0",
    ]);
    const full = [...TALK.slice(0, 4), said("five", MARK), replied("six"), said("seven", MARK)];
    expect(Object.keys(marksIn(write({ system, messages: full })))).toHaveLength(4);
  });

  test("those on what a fold hides are replaced", () => {
    const messages = [said("one", MARK), replied("two"), said("three", MARK), ...TALK.slice(3)];
    expect(Object.keys(marksIn(write({ system: "You help.", messages })))).toHaveLength(4);
  });

  test("none of ours before an hour's mark lives shorter than that one: the API refuses it", () => {
    const messages = [...TALK.slice(0, 6), said("seven", HOUR)];
    expect(marksIn(write({ system: "You help.", messages }))).toEqual({
      "/system/0": "1h",
      "/messages/0/content/0": "1h",
      "/messages/1/content/0": "1h",
      "/messages/3/content/0": "1h",
    });
  });

  test("a mark for the whole request is one on its end", () => {
    const body = write({ system: "You help.", messages: TALK, ...MARK });
    expect(marksIn(body)).toEqual({
      "": "5m",
      "/system/0": "5m",
      "/messages/0/content/0": "5m",
      "/messages/1/content/0": "5m",
    });
  });

  test("a lifetime that we do not know is no place for ours", () => {
    const messages = [...TALK.slice(0, 6), said("seven", { cache_control: { type: "ephemeral", ttl: "1d" } })];
    expect(Object.keys(marksIn(write({ system: "You help.", messages })))).toEqual(["/messages/3/content/0"]);
  });
});

describe("what cannot be marked is not", () => {
  const lastOf = (content: unknown) => {
    const body = write({ messages: [...TALK.slice(0, 6), { role: "user", content }] });
    return asArray(fieldAt(asArray(fieldAt(body, "messages")).at(-1), "content"));
  };

  test("thinking, empty text and what we do not know", () => {
    const text = { type: "text", text: "Look:" };
    const content = [
      text,
      { type: "text", text: "" },
      { type: "thinking", thinking: "", signature: "s" },
      { type: "odd" },
    ];
    expect(lastOf(content)).toEqual([{ ...text, ...MARK }, ...content.slice(1)]);
  });

  test("a message of the system's: the one before it is", () => {
    const messages = [...TALK, { role: "system", content: "The mode is plan." }];
    const body = write({ messages });
    expect(Object.keys(marksIn(body))).toContain("/messages/3/content/0");
    expect(asArray(fieldAt(body, "messages")).at(-1)).toEqual({ role: "system", content: "The mode is plan." });
  });

  test("a prompt of nothing", () => {
    expect(lastOf([])).toEqual([]);
    expect(marksIn(write({ system: "", tools: [], messages: TALK }))).not.toHaveProperty("/system/0");
  });
});

test("every other byte is the same, however the body is written", () => {
  const text = JSON.stringify({ system: "You help.", messages: TALK }, undefined, 2);
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body: text });
  const marked = request && anthropicAdapter.writeRequest(request, originals(0), FIVE);
  const mark = JSON.stringify(MARK).slice(1, -1);
  const unmarked = marked?.replaceAll(`,${mark}`, "").replace('[{"type":"text","text":"You help."}]', '"You help."');
  expect(unmarked).toBe(text);
});

describe("whatever the agent marks", () => {
  /** In the order in which the API processes them. */
  const lifetimes = (body: unknown) => {
    const inOrder = {
      tools: fieldAt(body, "tools"),
      system: fieldAt(body, "system"),
      messages: fieldAt(body, "messages"),
    };
    return Object.values(marksIn(inOrder));
  };
  const plans = fc.record({
    /** Which of the blocks of tools, system prompt and messages are marked, and how many of these marks live for an hour. */
    marked: fc.uniqueArray(fc.nat(4 + TALK.length), { maxLength: 4 }),
    hours: fc.nat(4),
    folded: fc.nat(TALK.length - 1),
    promptTtl: fc.constantFrom<"5m" | "1h">("5m", "1h"),
  });

  test("there are four marks at the most, none lives longer than one before it, and the agent's stay", () => {
    fc.assert(
      fc.property(plans, ({ marked, hours, folded, promptTtl }) => {
        const places = marked.toSorted((one, other) => one - other);
        const markAt = (place: number) => {
          const rank = places.indexOf(place);
          return rank === -1 ? {} : rank < hours ? HOUR : MARK;
        };
        const tools = [0, 1].map((place) => ({ name: `tool-${place}`, ...markAt(place) }));
        const system = [2, 3].map((place) => ({ type: "text", text: `part ${place}`, ...markAt(place) }));
        const messages = TALK.map(({ role }, index) => ({
          role,
          content: [{ type: "text", text: `said ${index}`, ...markAt(4 + index) }],
        }));
        const parts = folded === 0 ? originals(0) : [STAND_IN, ...originals(folded)];
        const given = { tools, system, messages };
        const [before, after] = [write(given, parts, { promptTtl }), marksIn(write(given, parts, { promptTtl }))];
        const found = lifetimes(before);
        expect(found.length).toBeLessThanOrEqual(4);
        expect(found).toEqual(found.toSorted());
        const text = JSON.stringify(given);
        const request = anthropicAdapter.readRequest({ path: "/v1/messages", body: text });
        const own = marksIn(parseJson((request && anthropicAdapter.writeRequest(request, parts)) ?? "null"));
        expect(after).toMatchObject(own);
      }),
      PROPERTY_RUNS,
    );
  });
});
