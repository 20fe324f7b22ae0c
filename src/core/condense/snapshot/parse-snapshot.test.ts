import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { PalimpsestError } from "../../errors.ts";
import { type ParsedSnapshot, parseSnapshot, type SnapshotParts } from "./parse-snapshot.ts";

const PARTS: SnapshotParts = {
  overallGoal: "Ship the parser.",
  keyKnowledge: "- tests: npm test",
  fileSystemState: "CWD: /app\nMODIFIED: src/parse.ts",
  recentActions: "npm test: 2 failed",
  currentPlan: "1. [DONE] read\n2. [TODO] fix",
};

/** A complete snapshot in the fixed form, with some parts replaced. */
function snapshot(parts: Partial<SnapshotParts> = {}): string {
  const { overallGoal, keyKnowledge, fileSystemState, recentActions, currentPlan } = { ...PARTS, ...parts };
  return `<state_snapshot>
<overall_goal>
${overallGoal}
</overall_goal>
<key_knowledge>
${keyKnowledge}
</key_knowledge>
<file_system_state>
${fileSystemState}
</file_system_state>
<recent_actions>
${recentActions}
</recent_actions>
<current_plan>
${currentPlan}
</current_plan>
</state_snapshot>`;
}

const draft = snapshot({ overallGoal: "a draft" });

function partsOf(parsed: ParsedSnapshot): SnapshotParts {
  if (parsed.type === "malformed") throw new Error(parsed.reason);
  return parsed.parts;
}

describe("reads a snapshot", () => {
  const expected: ParsedSnapshot = { type: "snapshot", text: snapshot(), parts: PARTS };

  test.each<[string, string]>([
    ["that stands alone", snapshot()],
    ["after a scratchpad", `<scratchpad>hm, a < b</scratchpad>\n${snapshot()}`],
    ["before a scratchpad", `${snapshot()}\n<scratchpad>was that all?</scratchpad>`],
    ["between scratchpads that hold drafts", `<scratchpad>${draft}</scratchpad>${snapshot()}<scratchpad>${draft}`],
    ["after a scratchpad whose opening the server kept", `hm ${draft}</scratchpad>${snapshot()}`],
    ["with prose and a code fence around it", `Here it is:\n\`\`\`xml\n${snapshot()}\n\`\`\`\nAnything else?`],
    ["after another one", `${draft}\nBetter:\n${snapshot()}`],
    ["before one that is cut off", `${snapshot()}\n<state_snapshot>\n<overall_goal>\nShip`],
    ["before one that lacks a part", `${snapshot()}<state_snapshot><overall_goal>x</overall_goal></state_snapshot>`],
    ["that was announced by its tag", `I write <state_snapshot> now: ${snapshot()}`],
    ["that was begun several times", `<state_snapshot><overall_goal>a <state_snapshot><overall_goal>b ${snapshot()}`],
    ["after a closing tag that belongs to nothing", `</state_snapshot>${snapshot()}</state_snapshot>`],
    ["with white space around its parts", snapshot().replaceAll(">\n", ">\r\n\n  ").replaceAll("\n<", "  \n\n<")],
    ["with text between its parts", snapshot().replaceAll("\n<key", "\n```\nnotes\n<key")],
    ["on one line", snapshot().replaceAll(">\n", ">").replaceAll("\n<", "<")],
  ])("%s", (_, reply) => {
    expect(parseSnapshot(reply)).toEqual(expected);
  });

  test("whose parts come in another order, and shows them in the fixed one", () => {
    const [, ...rest] = snapshot().split("\n<key_knowledge>");
    const goalLast = `<state_snapshot><key_knowledge>${rest.join("")}`.replace(
      "</state_snapshot>",
      `<overall_goal>${PARTS.overallGoal}</overall_goal></state_snapshot>`,
    );
    expect(parseSnapshot(goalLast)).toEqual(expected);
  });

  test("with a part written twice, and joins the two", () => {
    const twice = snapshot().replace("<current_plan>", "<key_knowledge> \n- port 8080</key_knowledge>\n<current_plan>");
    expect(partsOf(parseSnapshot(twice)).keyKnowledge).toBe("- tests: npm test\n- port 8080");
    const onceEmpty = snapshot().replace("<key_knowledge>", "<key_knowledge></key_knowledge><key_knowledge>");
    expect(partsOf(parseSnapshot(onceEmpty))).toEqual(PARTS);
  });
});

describe("keeps as it is, inside a part,", () => {
  test.each([
    ["generic types", "Map<string, Array<string>> & Set<T>"],
    ["markup", '<div class="a"><br/><!-- no --></div>'],
    ["comparisons", "if (a < b && b > c || a << 2)"],
    ["entities", "&lt;b&gt; &amp;amp; &nbsp"],
    ["broken markup", "<<a <b </c> ]]> <![CDATA[ <"],
    ["the tags of other parts", "asks for <current_plan> and </recent_actions><overall_goal>"],
    ["its own opening tag", "the <key_knowledge> part"],
    ["code fences", "```ts\nconst a = 1;\n```"],
    ["odd characters", "\ud800 \u0000 家族 \u2028 👨‍👩‍👧‍👦"],
    ["replacement patterns", "$& $1 $` $$"],
  ])("%s", (_, keyKnowledge) => {
    expect(parseSnapshot(snapshot({ keyKnowledge }))).toEqual({
      type: "snapshot",
      text: snapshot({ keyKnowledge }),
      parts: { ...PARTS, keyKnowledge },
    });
  });
});

describe("never takes thoughts for memory:", () => {
  test.each([
    ["a scratchpad inside a part is cut out", snapshot({ keyKnowledge: "a <scratchpad>SECRET</scratchpad> b" })],
    ["a scratchpad between parts is cut out", snapshot().replace("<cur", "<scratchpad>SECRET</scratchpad><cur")],
    [
      "a scratchpad with a part in it is cut out",
      snapshot().replace("<key", "<scratchpad><overall_goal>SECRET</overall_goal></scratchpad><key"),
    ],
  ])("%s", (_, reply) => {
    const parsed = parseSnapshot(reply);
    expect(parsed.type).toBe("snapshot");
    expect(JSON.stringify(parsed)).not.toContain("SECRET");
  });

  test.each([
    ["a snapshot in a scratchpad is none", `<scratchpad>${snapshot()}</scratchpad>`, /holds no <state_snapshot>/],
    [
      "nor is one in a scratchpad inside another",
      `<scratchpad>a<scratchpad>b</scratchpad>${snapshot()}</scratchpad>`,
      /no/,
    ],
    ["nor is one after an unclosed scratchpad", `<scratchpad>hm ${snapshot()}`, /<scratchpad> is never closed/],
    ["nor is one before a closing tag that was never opened", `hm ${snapshot()}</scratchpad>`, /no <state_snapshot>/],
    ["nor is one with an unclosed scratchpad in it", snapshot({ recentActions: "<scratchpad>" }), /never closed/],
  ])("%s", (_, reply, reason) => {
    expect(parseSnapshot(reply)).toMatchObject({ type: "malformed", reason: expect.stringMatching(reason) });
  });

  test("whatever the reply is made of", () => {
    const secret =
      "<scratchpad>SECRET <state_snapshot> <overall_goal> SECRET </overall_goal> </state_snapshot></scratchpad>";
    const fragment = fc.constantFrom(
      secret,
      secret,
      snapshot(),
      ...snapshot().split("\n"),
      "<scratchpad>",
      "</scratchpad>",
      "</scratch",
      "pad>",
      "words ",
    );
    const reply = fc.array(fragment, { maxLength: 40, size: "max" }).map((fragments) => fragments.join(""));
    fc.assert(
      fc.property(reply, (value) => {
        expect(JSON.stringify(parseSnapshot(value))).not.toContain("SECRET");
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("finds malformed", () => {
  const every = ["overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"];

  test.each<[string, string, readonly string[], RegExp]>([
    ["an empty reply", "", every, /holds no <state_snapshot>/],
    ["a refusal", "I cannot do that.", every, /holds no <state_snapshot>/],
    ["parts without a snapshot around them", "<overall_goal>x</overall_goal>", every, /holds no <state_snapshot>/],
    ["an escaped snapshot", snapshot().replaceAll("<", "&lt;"), every, /holds no <state_snapshot>/],
    ["a snapshot with nothing in it", "<state_snapshot></state_snapshot>", every, /nothing in: overall_goal, key_kno/],
    ["one without its last tag", snapshot().replace("</state_snapshot>", ""), [], /never closed.*cut off/],
    ["one cut off in its plan", snapshot().replace(/\n2\. .*/s, ""), ["current_plan"], /never closed.*cut off/],
    [
      "one without a part",
      snapshot().replace(/<key.*knowledge>/s, ""),
      ["key_knowledge"],
      /nothing in: key_knowledge\./,
    ],
    ["one with a blank goal", snapshot({ overallGoal: " \n\t" }), ["overall_goal"], /nothing in: overall_goal/],
    ["one with a goal without words", snapshot({ overallGoal: "…\u200b" }), ["overall_goal"], /nothing in/],
    ["one with a blank plan", snapshot({ currentPlan: "" }), ["current_plan"], /nothing in: current_plan/],
    [
      "one with a part that is never closed",
      snapshot().replace("</recent_actions>", ""),
      ["recent_actions", "current_plan"],
      /nothing in: recent_actions, current_plan/,
    ],
  ])("%s", (_, reply, missing, reason) => {
    expect(parseSnapshot(reply)).toEqual({ type: "malformed", missing, reason: expect.stringMatching(reason) });
  });

  test.each(["", "none"])("nothing where facts, files and actions are told as %j", (nothing) => {
    const empty = { keyKnowledge: nothing, fileSystemState: nothing, recentActions: nothing };
    expect(partsOf(parseSnapshot(snapshot(empty)))).toEqual({ ...PARTS, ...empty });
  });

  test("at any place where a reply is cut off", () => {
    const reply = `<scratchpad>hm</scratchpad>${snapshot()}`;
    for (let length = 0; length < reply.length; length++) {
      expect(parseSnapshot(reply.slice(0, length)).type).toBe("malformed");
    }
  });
});

test("reads its own text back as the same snapshot, whatever the reply was made of", () => {
  const fragment = fc.oneof(
    fc.constantFrom(snapshot(), ...snapshot().split("\n"), "<scratchpad>", "</scratchpad>", "\n", " "),
    fc.string({ maxLength: 10 }),
  );
  const noise = fc.array(fragment, { maxLength: 8 }).map((fragments) => fragments.join(""));
  const noisy = fc.record({ before: noise, goal: noise, facts: noise, after: noise });
  let snapshots = 0;
  fc.assert(
    fc.property(noisy, ({ before, goal, facts, after }) => {
      const parsed = parseSnapshot(before + snapshot({ overallGoal: goal, keyKnowledge: facts }) + after);
      if (parsed.type === "malformed") return;
      snapshots += 1;
      expect(parseSnapshot(parsed.text)).toEqual(parsed);
    }),
    PROPERTY_RUNS,
  );
  expect(snapshots).toBeGreaterThan(PROPERTY_RUNS.numRuns / 20);
});

test("refuses a reply that is no text", () => {
  for (const reply of [null, undefined, 5, {}]) {
    expect(() => Reflect.apply(parseSnapshot, undefined, [reply])).toThrow(PalimpsestError);
  }
});
