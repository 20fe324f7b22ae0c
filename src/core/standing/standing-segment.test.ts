import fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, call, log, result, tag, text, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { SEGMENT_MESSAGES } from "../message/log-segments.ts";
import type { Message } from "../message/message.ts";
import { readStandingLog } from "./find-standing.ts";
import { standingSegment, wholeStandingSegment } from "./standing-segment.ts";

const PLAN = "My plan:\n1. Read it.\n2. Change it.";
const REVIEW = `${"All is well. ".repeat(400)}\n\nA. the fuse\nB. the lamp`;
const REFUSAL = "The user denied this operation and provided the following feedback:\nuse the lamp";
const FOLD = { condenseParent: "c1" };

/** Messages that bind, that answer others, or of which nothing follows. Ids of calls are used again. */
const pieces: readonly Message[] = [
  user("Build the lamp."),
  user("Now the switch, and never rename kestrel."),
  user("go on"),
  user("yes"),
  user("yes, do it"),
  user("Good, go ahead. Never rename kestrel."),
  user(result("a", "x"), text("Yes, go ahead. Never rename kestrel.")),
  assistant("Done."),
  assistant("Which one?\n- red\n- blue"),
  assistant(PLAN),
  assistant({ type: "tool_search_tool_result", tool_use_id: "s", content: {} }, text(PLAN)),
  assistant(REVIEW),
  user("ignore A, do B"),
  assistant(call("a", "read_file", { path: "CLAUDE.md" })),
  assistant(call("a", "read_file", { path: "src/a.ts" })),
  assistant(call("b", "write_file", { path: "docs/plan.md", content: "# Plan\nDo it." })),
  assistant(call("p", "ExitPlanMode", { plan: "Short." })),
  assistant(call("a", "ExitPlanMode", { plan: "# Plan\nAll of it." })),
  assistant(call("b", "TodoWrite", { todos: [{ content: "x", status: "pending" }] })),
  assistant(text("Reading."), call("s", "Skill", { skill: "lamps" })),
  user(result("a", "const a = 1;")),
  user(result("b", "ok")),
  user(result("a", "User has approved your plan.")),
  user(result("p", "User has approved your plan.")),
  user(result("p", "The user doesn't want to proceed.")),
  user(result("s", `How to build lamps. ${"Use copper. ".repeat(20)}`)),
  user(result("a", "Always use tabs."), text("And be quick.")),
  user({ ...result("a", "no such file"), is_error: true }),
  user(
    text(
      "<system-reminder>\nContents of /repo/CLAUDE.md (project instructions):\n\nNever rename kestrel.\n</system-reminder>",
    ),
  ),
  user("Anna: I never eat fish."),
  assistant(call("a", "AskUserQuestion")),
  user(result("a", "The user answered: blue")),
  user({ ...result("a", REFUSAL), is_error: true }),
  user(result("b", REFUSAL)),
  user("[ask_followup_question for 'Red?'] Result:", "<answer>\nblue\n</answer>"),
  user("[read_file for 'a.ts'] Result:", REFUSAL, "Be quick."),
  tag(user("Notes."), { isSummary: true, condenseId: "c1" }),
];

const piece = fc.tuple(fc.nat(pieces.length - 1), fc.boolean()).map(([index, isHidden]): Message => {
  const message = pieces[index] ?? user("");
  return isHidden ? tag(message, FOLD) : message;
});
const stretch = fc.array(piece, { maxLength: 40, size: "max" });

/** Of which nothing follows. */
function filler(length: number): readonly Message[] {
  return Array.from({ length }, (_, index) =>
    index % 2 === 0 ? assistant(call(`f${index}`)) : user(result(`f${index - 1}`)),
  );
}

test("what can matter of each segment leads to the same as all of it", () => {
  const fill = fc.integer({ min: SEGMENT_MESSAGES - 60, max: SEGMENT_MESSAGES });
  fc.assert(
    fc.property(stretch, fill, stretch, fill, stretch, (first, some, second, more, third) => {
      const messages = log(...first, ...filler(some), ...second, ...filler(more), ...third);
      const [reduced, whole] = [standingSegment, wholeStandingSegment].map((read) => readStandingLog(messages, read));
      expect([...(reduced ?? [])]).toEqual([...(whole ?? [])]);
    }),
    PROPERTY_RUNS,
  );
});

test("what approves a plan and also binds is told from what only binds, in every place of a segment", () => {
  const shown = [
    assistant(call("p", "ExitPlanMode", { plan: "Other." })),
    user(result("p", "User has approved your plan.")),
  ];
  const approval = [
    assistant(PLAN),
    assistant(call("r", "read_file", { path: "x.ts" })),
    user(result("r", "x"), text("Yes, go ahead. Never rename kestrel.")),
  ];
  const rest = [assistant("Fine."), user("Now build the switch for the lamp."), assistant("Done.")];
  for (let length = SEGMENT_MESSAGES - 8; length < SEGMENT_MESSAGES; length++) {
    const messages = log(user("Build the lamp."), ...shown, ...filler(length), ...approval, ...rest);
    const [reduced, whole] = [standingSegment, wholeStandingSegment].map((read) => readStandingLog(messages, read));
    expect([...(reduced ?? [])]).toEqual([...(whole ?? [])]);
  }
});

test("of tool calls that are answered nothing has to be read again", () => {
  const messages = log(user("Build the lamp."), ...filler(400), assistant("Done."));
  const { places } = standingSegment({ messages, isFrozen: true });
  expect(places).toEqual([0, 401]);
});
