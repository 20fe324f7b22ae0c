import { describe, expect, test } from "vitest";
import { bytesOf, documentOf, LINKED_PICTURE, picture, screen } from "../../../../test/support/media.ts";
import { assistant, call, log, result, tag, user } from "../../../../test/support/messages.ts";
import { listFolds } from "../../history/list-folds.ts";
import { restoreAllMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Block, Message } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { clearToolResults } from "../clear-tool-results.ts";
import { clipBlocks } from "../clip/clip-blocks.ts";
import { type ShedOptions, shedBytes } from "./shed-bytes.ts";

/** Loops of a call and a screen of so many characters each, t0 …, after a request with no picture. */
function screens(count: number, characters: number): readonly Message[] {
  return [
    user("Go."),
    ...Array.from({ length: count }, (_, index) => step(`t${index}`, screen(`t${index}`, characters))).flat(),
  ];
}

function step(id: string, answer: Block): readonly Message[] {
  return [assistant(call(id)), user(answer)];
}

function shed(messages: readonly Message[], options: ShedOptions) {
  const folded = shedBytes(messages, options);
  return { ...folded, view: effectiveView(folded.messages) };
}

/** The ids of the tool results whose picture the view still shows. */
function shownScreens(view: readonly Message[]): readonly string[] {
  return view
    .flatMap(({ content }) => contentBlocks(content))
    .flatMap((block) => (isToolResult(block) && JSON.stringify(block).includes('"image"') ? [block.tool_use_id] : []));
}

describe("a view over its bytes", () => {
  test("loses the pictures of its oldest messages, down to 70 % of the limit, and no more", () => {
    const messages = log(...screens(10, 10_000));
    const { view, size, foldIds } = shed(messages, { maxViewBytes: 95_000 });
    expect(shownScreens(view)).toEqual(["t4", "t5", "t6", "t7", "t8", "t9"]);
    expect(size).toEqual({ bytes: bytesOf(view), images: 6 });
    expect(size.bytes).toBeLessThan(0.7 * 95_000);
    expect(foldIds).toHaveLength(1);
  });

  test("is the same array where it fits, and where there is no limit", () => {
    const messages = log(...screens(3, 10_000));
    expect(shedBytes(messages, { maxViewBytes: bytesOf(messages), maxImages: 3 }).messages).toBe(messages);
    expect(shedBytes(messages, {})).toEqual({ messages, foldIds: [], size: { bytes: bytesOf(messages), images: 3 } });
  });

  test("says what a picture was, how large, and how to get it back; the text beside it stays", () => {
    const messages = log(user("Look:", picture(40_000)), assistant("Yes."), ...screens(4, 4_000));
    const { view, foldIds } = shed(messages, { maxViewBytes: 18_000 });
    const [cleared, clipped] = foldIds;
    expect(foldIds).toEqual([expect.stringMatching(/^clear-/), expect.stringMatching(/^clip-/)]);
    expect(view[0]?.content).toEqual([
      { type: "text", text: "Look:" },
      { type: "text", text: `[image/png of 30,000 bytes hidden in fold ${cleared}]` },
    ]);
    expect(contentBlocks(view[4]?.content ?? "")).toEqual([
      {
        type: "tool_result",
        tool_use_id: "t0",
        content: [
          { type: "text", text: "screen of t0" },
          { type: "text", text: `[image/png of 3,000 bytes hidden in fold ${clipped}]` },
        ],
      },
    ]);
  });

  test("keeps the pictures that a person asks about, however long the loop of calls behind them is", () => {
    const messages = log(...screens(2, 10_000), user(picture(10_000), "What is this?"), ...screens(6, 10_000).slice(1));
    const { view } = shed(messages, { maxViewBytes: 35_000 });
    expect(contentBlocks(view[5]?.content ?? "")[0]).toEqual(picture(10_000));
    expect(shownScreens(view)).toEqual(["t4", "t5"]);
  });

  test("hides files of a type that we do not know, with their type and size", () => {
    const messages = log(user("Read:", documentOf(40_000)), assistant("Yes."), ...screens(3, 10));
    const { view } = shed(messages, { maxViewBytes: 20_000 });
    expect(JSON.stringify(view[0])).toContain("[document application/pdf of 30,000 bytes hidden in fold");
  });

  test("hides unknown blocks of one message together: a result may need its call", () => {
    const search = { type: "server_search", id: "s1" };
    const found = { type: "server_search_result", data: "C".repeat(40_000) };
    const messages = log(user("Find it."), assistant("Searching.", search, found, "There."), ...screens(3, 10));
    const { view } = shed(messages, { maxViewBytes: 20_000 });
    expect(contentBlocks(view[1]?.content ?? "").map(({ type }) => type)).toEqual(["text", "text", "text", "text"]);
    expect(JSON.stringify(view[1])).toContain("[server_search hidden in fold");
  });

  test("does not take what a provider sealed for a file", () => {
    const sealed = { type: "server_search_result", encrypted_content: "C".repeat(10_000) };
    const messages = log(user("Find it."), assistant(sealed), ...screens(6, 10_000));
    const { view } = shed(messages, { maxViewBytes: 60_000 });
    expect(contentBlocks(view[1]?.content ?? "")).toEqual([sealed]);
  });

  test("keeps the mark for caches where a marked picture was", () => {
    const marked = { ...picture(40_000), cache_control: { type: "ephemeral" } };
    const { view } = shed(log(user("Look:", marked), assistant("Yes."), ...screens(3, 10)), { maxViewBytes: 20_000 });
    expect(contentBlocks(view[0]?.content ?? "")[1]).toMatchObject({
      type: "text",
      cache_control: { type: "ephemeral" },
    });
  });
});

describe("where old pictures are not enough", () => {
  const old = (id: string, words: number) => step(id, result(id, "word ".repeat(words)));

  test("the largest old tool results are shown as stubs, and small ones stay", () => {
    const messages = log(
      user("Go."),
      ...old("t0", 20),
      ...old("t1", 4_000),
      ...old("t2", 1_000),
      ...old("t3", 5),
      ...old("t4", 5),
    );
    const { view, foldIds } = shed(messages, { maxViewBytes: 15_000 });
    expect(foldIds).toHaveLength(1);
    expect(JSON.stringify(view[4])).toContain(`[read_file a.ts: 4,006 tokens hidden in fold ${foldIds[0]}]`);
    expect([view[2], view[6]]).toEqual([messages[2], messages[6]]);
  });

  test("the largest old texts are shown by head and tail", () => {
    const messages = log(
      user("Go."),
      assistant(`begin ${"word ".repeat(4_000)} end`),
      user("more"),
      ...old("t0", 5),
      ...old("t1", 5),
    );
    const { view, size, messages: folded } = shed(messages, { maxViewBytes: 10_000 });
    expect(view[1]?.content).toMatch(/^begin word(?:.|\n)*tokens hidden in fold clip-(?:.|\n)*end$/);
    expect(size.bytes).toBeLessThanOrEqual(7_000);
    expect(size.bytes).toBeGreaterThan(6_000);
    const hidden = folded[1]?.folds?.[0]?.hiddenTokens ?? 0;
    expect(hidden).toBeGreaterThan(2_500);
    expect(hidden).toBeLessThan(4_000);
  });

  test("newest pictures go only then, the oldest of them first, and no further than the limit", () => {
    const messages = log(...screens(2, 10_000));
    const { view } = shed(messages, { maxViewBytes: 15_000 });
    expect(shownScreens(view)).toEqual(["t1"]);
  });

  test("no text goes where newest pictures have to go anyway", () => {
    const messages = log(user("Go."), ...old("t0", 1_000), ...screens(2, 20_000).slice(1));
    const { view } = shed(messages, { maxViewBytes: 30_000 });
    expect(view[2]).toEqual(messages[2]);
    expect(shownScreens(view)).toEqual(["t1"]);
  });

  test("pictures in important messages go last of all pictures", () => {
    const important = (message: Message) => tag(message, { important: true });
    const messages = log(user("Go."), important(user("Mind this:", picture(10_000))), ...screens(4, 10_000).slice(1));
    expect(JSON.stringify(shed(messages, { maxViewBytes: 15_000 }).view[1])).toContain("AAAA");
    expect(JSON.stringify(shed(messages, { maxViewBytes: 8_000 }).view[1])).not.toContain("AAAA");
  });

  test("the newest text is clipped where nothing else is left", () => {
    const messages = log(user("Go."), ...old("t0", 10_000));
    const { size, view } = shed(messages, { maxViewBytes: 5_000 });
    expect(size.bytes).toBeLessThanOrEqual(5_000);
    expect(JSON.stringify(view.at(-1))).toContain("word word");
  });

  test("text stays where it must not be hidden, and the size tells that it is too large", () => {
    const messages = log(user("Go.", picture(10_000)), ...old("t0", 10_000), ...old("t1", 5), ...old("t2", 5));
    const { view, size } = shed(messages, { maxViewBytes: 5_000, foldsText: false });
    expect(JSON.stringify(view[0])).toContain("image/png of 7,500 bytes hidden");
    expect(view[2]).toEqual(messages[2]);
    expect(size.bytes).toBe(bytesOf(view));
  });
});

describe("a view with too many images", () => {
  test("loses the oldest, down to 70 % of the limit, linked ones and those in results too", () => {
    const messages = log(user("Look:", LINKED_PICTURE, LINKED_PICTURE), assistant("Yes."), ...screens(9, 10));
    const { view, size } = shed(messages, { maxImages: 10 });
    expect(size.images).toBe(7);
    expect(shownScreens(view)).toEqual(["t2", "t3", "t4", "t5", "t6", "t7", "t8"]);
    expect(JSON.stringify(view[0])).toContain("[image hidden in fold clear-");
  });

  test("does not count a file among them that a wire sends as it sends images", () => {
    const file = { type: "image", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } } as const;
    const messages = log(user("Read:", file, file), assistant("Yes."), ...screens(2, 10));
    expect(shedBytes(messages, { maxImages: 2 }).size.images).toBe(2);
  });

  test("has none where the model takes none", () => {
    const messages = log(user("Look:", LINKED_PICTURE), assistant("Yes."), ...screens(2, 10));
    const { view, size } = shed(messages, { maxImages: 0 });
    expect(size.images).toBe(0);
    expect(JSON.stringify(view[0])).toContain("[image hidden in fold clear-");
  });
});

describe("together with other folds", () => {
  const long = { ...screen("t0", 20_000), content: [{ type: "text", text: "word ".repeat(3_000) }, picture(20_000)] };
  const messages = log(user("Go."), ...step("t0", long), ...screens(3, 10).slice(1));

  test("a result without its picture can still be cleared or clipped for tokens", () => {
    const folded = shedBytes(messages, { maxViewBytes: 30_000 });
    expect(listFolds(folded.messages)).toMatchObject([{ kind: "clip", blocks: 1 }]);
    expect(clearToolResults(folded.messages, { keepNewest: 0 }).gainTokens).toBeGreaterThan(2_900);
    const clipped = clipBlocks(folded.messages, { messageIndexes: [2], budgetTokens: 500 });
    expect(clipped.tokens).toBeLessThanOrEqual(500);
    expect(JSON.stringify(effectiveView(clipped.messages)[2])).not.toContain("AAAA");
  });

  test("what an earlier clip hides of a result stays hidden, under the name of the new fold", () => {
    const clipped = clipBlocks(messages, { messageIndexes: [2], budgetTokens: 700 });
    const { view, foldIds, messages: folded } = shed(clipped.messages, { maxViewBytes: 15_000 });
    const shown = JSON.stringify(view[2]);
    expect(shown.length).toBeLessThan(5_000);
    expect(shown).not.toContain(clipped.foldId);
    expect(shown.split(foldIds[0] ?? "-")).toHaveLength(3);
    expect(JSON.stringify(restoreAllMessages(folded))).toBe(JSON.stringify(messages));
  });
});

test.each([
  [{ maxViewBytes: 0 }, /maxViewBytes is 0; it must be a number of at least 1/],
  [{ maxViewBytes: Number.NaN }, /maxViewBytes is NaN/],
  [{ maxImages: -1 }, /maxImages is -1; it must be a number of at least 0/],
])("refuses %j", (options, reason) => {
  expect(() => shedBytes([], options)).toThrow(reason);
});

test("takes files of many megabytes", () => {
  const messages = log(user("Read:", documentOf(12_000_000), picture(12_000_000)), ...screens(3, 10));
  const countTokens = () => 100;
  expect(shed(messages, { maxViewBytes: 20_000_000, countTokens }).size.bytes).toBeLessThan(13_000_000);
});
