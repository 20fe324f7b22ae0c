import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan } from "../../../test/properties/conversations.ts";
import { damage, damaged } from "../../../test/properties/damage.ts";
import { assistant, call, result, text, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { Message } from "./message.ts";
import { repairView } from "./repair-view.ts";
import { validateView } from "./validate-view.ts";

const blocksAt = (view: readonly Message[], index: number) => view[index]?.content;
const go = user("go");
const next = [assistant("ok"), user("next")];

describe("repairView", () => {
  test("gives back the same array where there is nothing to repair", () => {
    const view = [go, assistant(call("a")), user(result("a")), assistant("done")];
    expect(repairView(view)).toBe(view);
    expect(repairView([])).toEqual([]);
  });

  test("answers a call that was aborted, and leaves the person's words", () => {
    const view = repairView([go, assistant(call("a")), user("never mind")]);
    expect(blocksAt(view, 2)).toEqual([
      expect.objectContaining({ type: "tool_result", tool_use_id: "a", is_error: true }),
      { type: "text", text: "never mind" },
    ]);
  });

  test("leaves the calls of the last turn open: they may still run", () => {
    const view = [user(""), assistant(call("a"))];
    expect(repairView(view)[1]).toBe(view[1]);
  });

  test("answers the one of two calls that has no result", () => {
    const view = repairView([go, assistant(call("a"), call("b")), user(result("b")), ...next]);
    expect(blocksAt(view, 2)).toMatchObject([{ tool_use_id: "b" }, { tool_use_id: "a", is_error: true }]);
  });

  test("shows a result without a call, a second result and a far one as text, with their words", () => {
    const stray = { type: "text", text: expect.stringMatching(/apart from its call:\]\nout of z$/) };
    const orphan = repairView([go, assistant("hm"), user(result("z", "out of z")), ...next]);
    expect(blocksAt(orphan, 2)).toEqual([stray]);
    const doubled = repairView([go, assistant(call("z")), user(result("z"), result("z", "out of z")), ...next]);
    expect(blocksAt(doubled, 2)).toEqual([result("z"), stray]);
    const far = repairView([go, assistant(call("z")), user("hm"), ...next, user(result("z", "out of z"))]);
    expect(blocksAt(far, 5)).toEqual([stray]);
    expect(blocksAt(far, 2)).toMatchObject([{ tool_use_id: "z", is_error: true }, { text: "hm" }]);
  });

  test("puts results before the words of their turn", () => {
    const view = repairView([go, assistant(call("a")), user("look:"), user(text("and"), result("a")), ...next]);
    expect(blocksAt(view, 2)).toEqual([result("a"), text("look:")]);
    expect(blocksAt(view, 3)).toEqual([text("and")]);
  });

  test("says of an empty turn that it was empty, and of a reply that opens the view that it does", () => {
    const view = repairView([{ role: "assistant", content: [] }, user(""), assistant("  "), user(text(" "))]);
    expect(view.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(validateView(view)).toEqual([]);
  });

  test("shows a call with an id that is taken, and blocks of the other role, as text", () => {
    const view = repairView([
      go,
      assistant(call("a")),
      user(result("a")),
      assistant(call("a")),
      user(call("b"), text("hm")),
    ]);
    expect(validateView(view)).toEqual([]);
    expect(JSON.stringify(view)).toContain("id an earlier call has");
  });
});

test("whatever is damaged, the view is valid but for calls that may still run, and every word of it is shown", () => {
  fc.assert(
    fc.property(conversationPlan, fc.array(damage, { minLength: 1, maxLength: 4 }), (plan, damages) => {
      const log = damages.reduce(damaged, buildTurns(plan));
      if (log.length === 0) return;
      const before = JSON.stringify(log);
      const view = repairView(log);
      const isOpen = view.at(-1)?.role === "assistant";
      const problems = validateView(view).filter(({ code }) => !isOpen || code !== "missing-result");
      expect(problems).toEqual([]);
      expect(JSON.stringify(log)).toBe(before);
      expect(repairView(view)).toEqual(view);
      const shown = JSON.stringify(view);
      for (const { content } of log)
        if (typeof content === "string") expect(shown).toContain(JSON.stringify(content.trim()).slice(1, -1));
    }),
    PROPERTY_RUNS,
  );
});
