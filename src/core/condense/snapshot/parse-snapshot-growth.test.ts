import { describe, expect, test } from "vitest";
import { parseSnapshot } from "./parse-snapshot.ts";

const TAGS = ["overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"];
const COMPLETE = `<state_snapshot>${TAGS.map((tag) => `<${tag}>words</${tag}>`).join("")}</state_snapshot>`;

// Anything that looks for each tag's partner to the end of the reply would need hours for these.
describe("answers in proportion to its length for four megabytes of", () => {
  test.each([
    "<",
    "</",
    "\n ",
    "<state_snapshot>",
    "</state_snapshot>",
    "<state_snapshot></state_snapshot>",
    "<state_snapshot><overall_goal>",
    "<state_snapshot><overall_goal></state_snapshot>",
    "<overall_goal>",
    "<overall_goal><key_knowledge>",
    "<overall_goal></overall_goal>",
    "<overall_goal>x</overall_goal>",
    "<scratchpad>",
    "</scratchpad>",
    "<scratchpad></scratchpad>",
  ])("%j", (unit) => {
    const hostile = unit.repeat(Math.ceil(4_000_000 / unit.length));
    expect(parseSnapshot(hostile).type).toBe("malformed");
    expect(parseSnapshot(`<state_snapshot>${hostile}</state_snapshot>`).type).toBe("malformed");
    const isSwallowed = unit === "<scratchpad>";
    expect(parseSnapshot(hostile + COMPLETE).type).toBe(isSwallowed ? "malformed" : "snapshot");
  });
});
