import { describe, expect, test } from "vitest";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import { effectiveView } from "../message/effective-view.ts";
import { validateView } from "../message/validate-view.ts";
import { projectTools } from "./project-tools.ts";
import { usedTools } from "./used-tools.ts";

const HISTORY = log(
  user("look around"),
  assistant(call("t1", "search"), call("t2", "readFile")),
  user(result("t1"), result("t2")),
  assistant("found it"),
  user("now write it"),
  assistant(call("t3", "writeFile")),
  user(result("t3"), text("(the tests are still red)")),
  assistant(call("t4", "readFile")),
  user(result("t4")),
);

describe("usedTools", () => {
  test("names each tool that was called, in the order of first use", () => {
    expect(usedTools(HISTORY)).toEqual(["search", "readFile", "writeFile"]);
    expect(usedTools([])).toEqual([]);
  });

  test("names those of the current loop: since the person last spoke, results and remarks beside them aside", () => {
    expect(usedTools(HISTORY, { range: "current-loop" })).toEqual(["writeFile", "readFile"]);
    expect(usedTools(HISTORY.slice(0, 5), { range: "current-loop" })).toEqual([]);
  });
});

describe("hiding a tool that the history used", () => {
  const tools = ["search", "readFile", "writeFile"].map((name) => ({
    ...{ name, description: name, inputSchema: { type: "object" }, permissions: [] },
  }));
  const situation = { phase: "planning", permissions: [], environment: "dev" } as const;

  test("leaves the history valid, and the hidden tool named in it", () => {
    const projection = projectTools(situation, tools);
    expect(projection.tools.map(({ name }) => name)).toEqual(["search", "readFile"]);
    expect(usedTools(HISTORY)).toContain("writeFile");
    expect(validateView(effectiveView(HISTORY))).toEqual([]);
  });

  test("can wait until the loop that uses it is over", () => {
    const keepTools = usedTools(HISTORY, { range: "current-loop" });
    expect(projectTools(situation, tools, { keepTools }).tools).toHaveLength(3);
    const spoken = [...HISTORY, assistant("done"), user("thanks, what next?")];
    const after = usedTools(spoken, { range: "current-loop" });
    expect(projectTools(situation, tools, { keepTools: after }).tools).toHaveLength(2);
  });
});
