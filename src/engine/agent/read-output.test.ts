import { describe, expect, test } from "vitest";
import { reads, testAgent } from "../../../test/support/agents.ts";
import { unchecked } from "../../../test/support/handlers.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { ToolOutput } from "../../core/ports/tool-executor.ts";
import { readOutput } from "./read-output.ts";

const circle: { self?: unknown } = {};
circle.self = circle;
const NOTHING = { content: "(no output)", isError: false };
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };

describe("an output", () => {
  test.each([
    ["a text", "found", { content: "found", isError: false }],
    ["a text that is an error", { content: "lost", isError: true }, { content: "lost", isError: true }],
    ["blocks", { content: [image] }, { content: [image], isError: false }],
    [
      "blocks with a blank one",
      { content: [{ type: "text", text: " " }, image] },
      { content: [image], isError: false },
    ],
    ["nothing", undefined, NOTHING],
    ["null", null, NOTHING],
    ["an empty text", "", NOTHING],
    ["white space", " \n", NOTHING],
    ["no blocks", { content: [] }, NOTHING],
    ["content that is undefined", { content: undefined }, NOTHING],
    ["a number", 5, { content: "5", isError: false }],
    ["a list", ["a", "b"], { content: '["a","b"]', isError: false }],
    ["another object", { rows: 2 }, { content: '{"rows":2}', isError: false }],
    ["content that is a number", { content: 5 }, { content: "5", isError: false }],
    ["blocks that are none", { content: [null] }, { content: "[null]", isError: false }],
    ["a block without a text", { content: [{ type: "text" }] }, { content: '[{"type":"text"}]', isError: false }],
    ["a circle", circle, { content: "(an output that cannot be shown)", isError: false }],
    ["a big integer", { content: 5n }, { content: "(an output that cannot be shown)", isError: false }],
  ])("that is %s is shown as what it is", async (_, output, shown) => {
    expect(readOutput(output)).toEqual(shown);
    const { engine } = testAgent([reads("a")], { execute: () => unchecked<ToolOutput>(output) });
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed" });
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });
});
