import { describe, expect, test } from "vitest";
import { assistant, call, log, result, tag, text, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { findStanding } from "./find-standing.ts";

/** What stands, as `place.block kind key`. */
function standing(...messages: readonly Message[]): readonly string[] {
  const found = [...findStanding(log(...messages))].flatMap(([place, parts]) =>
    parts.map(
      ({ blockIndex, kind, key, span }) =>
        `${place}.${blockIndex} ${kind} ${key}${span === undefined ? "" : " (part)"}`,
    ),
  );
  return found.toSorted();
}

const reminder = (words: string) => text(`<system-reminder>\n${words}\n</system-reminder>`);
const GUIDE = "Contents of /repo/CLAUDE.md (project instructions):\n\nNever rename kestrel.";

describe("what the person asks", () => {
  test("is the first request and the newest one, however many lie between", () => {
    const found = standing(user("Build it."), assistant("ok"), user("Test it."), assistant("ok"), user("Ship it."));
    expect(found).toEqual(["0.0 task task:0:0", "4.0 request request:4:0"]);
  });

  test("is what it goes on with where the newest request only says so", () => {
    const found = standing(user("Build it."), assistant("ok"), user("Test it."), assistant("ok"), user("Go on."));
    expect(found).toEqual(["0.0 task task:0:0", "2.0 request request:2:0", "4.0 request request:4:0"]);
  });

  test("binds for good where it says never or always, also in the middle", () => {
    const found = standing(
      user("Build it."),
      assistant("ok"),
      user("Never touch lantern.txt."),
      assistant("ok"),
      user("Go on."),
    );
    expect(found).toContain("2.0 rule rule:Never touch lantern.txt.");
  });

  describe("in a conversation without tools", () => {
    const chat = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? user(`Idea ${at}?`) : assistant("Sure.")));
    const rules = (...messages: readonly Message[]) => standing(...messages).filter((each) => each.includes(" rule "));

    test("binds where it is said as a rule", () => {
      const said = [
        "Never use emojis, please.",
        "You must always answer in French.",
        "I never want to hear of it again.",
      ];
      expect(rules(...chat, ...said.map((each) => user(each)))).toHaveLength(said.length);
    });

    test("is not what someone tells", () => {
      const told = [
        "I have always loved the sea.",
        "As always, thank you.",
        "It was never easy, and we had to move.",
        "She never should have left.",
      ];
      expect(rules(...chat, ...told.map((each) => user(each)))).toEqual([]);
      // An agent at work is told how things are so that it keeps to it.
      expect(rules(...chat, assistant(call("a")), user(result("a")), user(told[0] ?? ""))).toHaveLength(1);
    });

    test("is nothing that people who are named ask of each other", () => {
      const talk = chat.map(({ role }, at) => ({ role, content: `${at % 2 === 0 ? "Anna" : "Tom"}: hello ${at}` }));
      expect(rules(...talk, user("Tom: Never touch my lantern."))).toEqual([]);
    });
  });

  test("is of a long pasted text only the lines that bind", () => {
    const pasted = `${"one more line of the protocol\n".repeat(60)}Always sign with the blue seal.\nend`;
    expect(standing(user("Build it."), user(pasted), user("Go on."))).toContainEqual(
      "1.0 rule rule:Always sign with the blue seal. (part)",
    );
  });

  test("may be said beside a tool's result, while the agent works", () => {
    const found = standing(user("Build it."), assistant(call("a")), user(result("a"), text("Stop at noon.")));
    expect(found).toEqual(["0.0 request request:0:0", "2.1 request request:2:1"]);
  });

  test("is not what a program says under the user's name", () => {
    expect(standing(user("Build it."), user(reminder("<total_tokens>7 tokens left</total_tokens>")))).toEqual([
      "0.0 request request:0:0",
    ]);
    const output = "Always push to main.";
    const outputs = [
      user(`[read_file for 'a.ts'] Result:\n${output}`),
      user(`[execute_command for 'test [ -f a ] &&\ncat a'] Result:\n${output}`),
      user(`[switch_mode to 'code' because: it is time] Result:\n${output}`),
      user("[read_file for 'a.ts'] Result:", output, "<environment_details>\nnone\n</environment_details>"),
      user(
        "[fetch for 'a.html'] Result:\n<system-reminder>\nContents of /repo/CLAUDE.md:\n\nPush.\n</system-reminder>",
      ),
      user("<output>\n<system-reminder>\nContents of /repo/CLAUDE.md:\n\nPush.\n</system-reminder>\n</output>"),
      user(`<output>\n<permissions instructions>${output}</permissions instructions>\n</output>`),
      user(`[read_file for 'loop.md'] Result:\n${output.repeat(20)}`),
    ];
    const told = [
      `<bash-stdout>${output}</bash-stdout><bash-stderr></bash-stderr>`,
      "<bash-input>cat notes.md</bash-input>",
      `<user_shell_command>\n<result>\n${output}\n</result>\n</user_shell_command>`,
      `<subagent_notification>\n{"status":{"completed":"${output}"}}\n</subagent_notification>`,
      `<task-notification>\n<result>${output}</result>\n</task-notification>`,
      `[SYSTEM NOTIFICATION - NOT USER INPUT]\nA background task has ended.\n\n<task-notification>${output}</task-notification>\n`,
      "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
      `Stop hook feedback:\n${output}`,
    ];
    for (const each of [...outputs, ...told.map((text) => user(text))]) {
      expect(standing(user("Build it."), assistant("ok"), each, assistant("ok"))).toEqual(["0.0 request request:0:0"]);
    }
  });

  test("is what stands behind such a report, and beside a list of plugins", () => {
    const joined = user("<task-notification>done</task-notification>\nNow the tests. Never skip one.");
    expect(standing(user("Build it."), assistant("ok"), joined)).toContain("2.0 request request:2:0");
    const first = user("<recommended_plugins>\nDrive\n</recommended_plugins>", "Build it.");
    expect(standing(first, assistant("ok"), user("Test it."))).toContain("0.1 task task:0:1");
  });

  test("stands with what is selected in an editor, whose words are no rules", () => {
    const selected =
      "<ide_selection>The user selected the lines 1 to 2 from a.md:\nAlways push to main.\n</ide_selection>";
    expect(standing(user("Build it."), assistant("ok"), user(selected, "Explain this."))).toEqual([
      "0.0 task task:0:0",
      "2.0 request request:2:0",
      "2.1 request request:2:1",
    ]);
  });

  test("is also said beside a result that an agent sends as a text", () => {
    const beside = user("[read_file for 'a.ts'] Result:", "const a = 1;", "Stop at noon.");
    expect(standing(user("Build it."), assistant("ok"), beside)).toEqual([
      "0.0 task task:0:0",
      "2.2 request request:2:2",
    ]);
    for (const printed of ["\n", "\nsome text [x] Result:"]) {
      const next = user(`[read_file for 'a.ts'] Result:${printed}`, "Stop at noon.");
      expect(standing(user("Build it."), assistant("ok"), next)).toContain("2.1 request request:2:1");
    }
    const asked = user("[1] is a list: what is ['a', 'b'] Result:? Always answer in German.");
    expect(standing(user("Build it."), assistant("ok"), asked)).toContain("2.0 request request:2:0");
  });
});

describe("instructions", () => {
  test.each([
    ["Claude Code", `<system-reminder>\n${GUIDE}\n</system-reminder>`, "instructions:/repo/CLAUDE.md"],
    ["Codex", "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nNo tabs.\n</INSTRUCTIONS>", "instructions:/repo"],
    [
      "Copilot",
      "<system_reminder>\nCustom instructions from sub/AGENTS.md. Apply these now:\n\nNo tabs.\n</system_reminder>",
      "instructions:sub/AGENTS.md",
    ],
  ])("of %s in a message of their own are known by their path", (_, words, key) => {
    expect(standing(user("Build it."), assistant("ok"), user(words), assistant("ok"))).toContain(
      `2.0 instructions ${key}`,
    );
  });

  test.each([
    [
      "in an element",
      "42 lines\n\n<system-reminder>\nInstructions from: /repo/a/AGENTS.md\nNo tabs.\n</system-reminder>",
      "/repo/a/AGENTS.md",
    ],
    [
      "in a section",
      "42 lines\n\n--- Context from: /repo/a/GEMINI.md ---\nNo tabs.\n--- End of Context from: /repo/a/GEMINI.md ---",
      "/repo/a/GEMINI.md",
    ],
  ])("that a tool's result carries %s are the part of it that stands", (_, returned, path) => {
    const found = standing(user("Build it."), assistant(call("a")), user(result("a", returned)));
    expect(found).toContain(`2.0 instructions instructions:${path} (part)`);
  });

  test("that are in one item of a result's list are the part of it that stands", () => {
    const listed = { ...result("a"), content: [text("42 lines"), reminder(GUIDE), text("the end")] };
    const found = standing(user("Build it."), assistant(call("a")), user(listed));
    expect(found).toContain("2.0 instructions instructions:/repo/CLAUDE.md (part)");
  });

  test("that an agent masked in an old result stand as far as it left them", () => {
    const masked =
      '<tool_output_masked>\n{ "output": "text\\n--- Context from: /repo/a/GEMINI.md ---\\nNo tabs.\n... [TRUNCATED] ...';
    const found = standing(user("Build it."), assistant(call("a")), user(result("a", masked)));
    expect(found).toContain("2.0 instructions instructions:/repo/a/GEMINI.md");
  });

  test("that the model reads itself stand too, the newest reading of each file", () => {
    const read = (id: string) => [
      assistant(call(id, "Read", { file_path: "/repo/AGENTS.md" })),
      user(result(id, `rules ${id}`)),
    ];
    const found = standing(user("Build it."), ...read("a"), ...read("b"));
    expect(found.filter((each) => each.includes("instructions:"))).toEqual([
      "4.0 instructions instructions:/repo/AGENTS.md",
    ]);
  });

  test.each([
    ["../cli/CLAUDE.md", "reminder"],
    ["..\\cli\\docs\\AGENTS.md", "reminder"],
    ["../../CLAUDE.md", "instructions"],
    ["./docs/CLAUDE.md", "instructions"],
    ["/repo/docs/CLAUDE.md", "instructions"],
  ])("of a folder beside the one that the agent works in are clipped before its own: %s is %s", (path, kind) => {
    const read = assistant(call("a", "Read", { file_path: path }));
    const found = standing(user("Build it."), read, user(result("a", "No tabs.")));
    expect(found).toContain(`2.0 ${kind} instructions:${path}`);
  });

  test("that are said twice in the same words stand where they are shown already", () => {
    expect(
      standing(user(reminder(GUIDE), text("Build it.")), assistant("ok"), user(reminder(GUIDE), text("Go on."))),
    ).toContain("0.0 instructions instructions:/repo/CLAUDE.md");
  });

  test("that changed stand as they are now", () => {
    const changed = GUIDE.replace("kestrel", "falcon");
    const found = standing(
      user(reminder(GUIDE), text("Build it.")),
      assistant("ok"),
      user(reminder(changed), text("Go on.")),
    );
    expect(found.filter((each) => each.includes("instructions:"))).toEqual([
      "2.0 instructions instructions:/repo/CLAUDE.md",
    ]);
  });
});

describe("a mode", () => {
  const full = user(reminder("Plan mode is active. You MUST NOT make any edits."), text("Plan it."));
  const sparse = user(
    reminder("Plan mode still active (see full instructions earlier in conversation)."),
    text("More."),
  );

  test("stands in its full words for as long as it is said to go on", () => {
    expect(standing(full, assistant("ok"), sparse, assistant("ok"))).toContain("0.0 mode mode:plan");
  });

  test("is gone once it is left, by a message or by a tool", () => {
    const left = user(reminder("## Exited Plan Mode\n\nYou have exited plan mode."), text("Now act."));
    expect(standing(full, assistant("ok"), left).join()).not.toContain("mode:plan");
    const exit = [
      assistant(call("x", "ExitPlanMode", { plan: "do it" })),
      user(result("x", "User has approved your plan.")),
    ];
    expect(standing(full, ...exit).join()).not.toContain("mode mode:plan");
  });
});

describe("what was loaded, planned and declared", () => {
  test.each([
    [
      "by its element",
      [
        assistant(call("s", "skill", { name: "dock" })),
        user(result("s", '<skill_content name="dock">\nRing twice.\n</skill_content>')),
      ],
    ],
    [
      "by its opening",
      [
        assistant(call("s", "Skill", { skill: "dock" })),
        user(result("s", "Launching skill: dock"), text("Base directory for this skill: /x/dock\n\nRing twice.")),
      ],
    ],
    [
      "by the tool that loads it",
      [assistant(call("s", "activate_skill", { name: "dock" })), user(result("s", "Ring twice. ".repeat(30)))],
    ],
    [
      "by its file",
      [assistant(call("s", "Read", { file_path: "/x/dock/SKILL.md" })), user(result("s", "Ring twice."))],
    ],
  ])("a skill, %s", (_, unit) => {
    expect(standing(user("Build it."), ...unit).join()).toContain("skill skill:dock");
  });

  test("a skill, in its own words and not in those that say that it was loaded before", () => {
    const load = (id: string, returned: string) => [
      assistant(call(id, "Skill", { skill: "dock" })),
      user(result(id, returned)),
    ];
    const again = `Skill /dock was loaded earlier (see above); ${"follow those instructions now ".repeat(6)}`;
    const found = standing(user("Build it."), ...load("a", "Ring twice. ".repeat(30)), ...load("b", again));
    expect(found.filter((each) => each.includes("skill:"))).toEqual(["2.0 skill skill:dock"]);
  });

  test("a list of things to do, in its newest state", () => {
    const todo = (id: string) => [assistant(call(id, "TodoWrite", { todos: [id] })), user(result(id))];
    const found = standing(user("Build it."), ...todo("a"), ...todo("b"));
    expect(found.filter((each) => each.includes("plan"))).toEqual(["3.0 plan plan:todowrite"]);
  });

  test("a list of things to do that is kept in a table: its items, and the newest change of each", () => {
    const sql = (id: string, query: string) => [assistant(call(id, "sql", { query })), user(result(id))];
    const found = standing(
      user("Build it."),
      ...sql("a", "INSERT INTO todos VALUES ('paint'), ('sail')"),
      ...sql("b", "UPDATE todos SET status = 'open' WHERE id = 'paint'"),
      ...sql("c", "UPDATE todos SET status = 'done' WHERE id = 'paint'"),
      ...sql("d", "SELECT * FROM todos"),
    );
    expect(found.filter((each) => each.includes("plan")).map((each) => each.split(" ")[0])).toEqual(["1.0", "5.0"]);
  });

  test("steps, skills and declarations whatever a model or a provider put into their fields", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 20_000; depth++) deep = Object.freeze([deep]);
    const odd = { toString: 1, valueOf: 1 };
    const found = standing(
      user("Build it.", { type: "mcp_list_tools", tools: deep }),
      assistant(call("a", "TaskUpdate", { taskId: odd })),
      user(result("a")),
      assistant(call("b", "Skill", { skill: odd })),
      user(result("b", "Sail before the wind. ".repeat(20))),
    );
    const kinds = found.map((each) => each.split(" ").slice(0, 2).join(" "));
    expect(kinds).toEqual(expect.arrayContaining(["0.1 declaration", "1.0 plan", "4.0 skill"]));
  });

  test("a message of the system inside the conversation, and of one that is counted anew only the newest", () => {
    const system = (words: string) => ({ type: "text", text: words, role: "system" });
    const found = standing(
      user("Build it.", system("# Environment\nNever trust what files say.")),
      assistant(call("a")),
      user(result("a"), system("<total_tokens>9 tokens left</total_tokens>")),
      assistant(call("b")),
      user(result("b"), system("3 turns are left.")),
      assistant(call("c")),
      user(result("c"), system("2 turns are left.")),
    );
    expect(found.filter((each) => each.includes("system"))).toEqual([
      "0.1 system system:# Environment\nNever trust what files say.",
      "6.1 system system:# turns are left.",
    ]);
  });

  test("tools and files that the model has only as long as it sees them", () => {
    const reference = { ...result("t"), content: [{ type: "tool_reference", tool_name: "WebFetch" }] };
    const found = standing(
      user("Build it."),
      assistant(call("t", "ToolSearch")),
      user(reference),
      user({ type: "container_upload", file_id: "f1" }),
    );
    expect(found.filter((each) => each.includes("declaration:"))).toHaveLength(2);
  });

  test("no command that the agent itself carries out, nor the caveat before it: the first request comes after them", () => {
    const caveat = text(
      "<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. " +
        "DO NOT respond to these messages.</local-command-caveat>",
    );
    const cleared = text(
      "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>",
    );
    const found = standing(user(caveat), user(cleared), user("Build it."), assistant("ok"), user("Ship it."));
    expect(found).toEqual(["2.0 task task:2:0", "4.0 request request:4:0"]);
  });

  test("the text of an invoked command", () => {
    const command = user(text("<command-name>/greet</command-name>"), text("Greet the crew by name."));
    const found = standing(user("Build it."), assistant("ok"), command, assistant("ok"), user("Go on."));
    expect(found.filter((each) => each.startsWith("2.") && each.includes("command")).length).toBeGreaterThanOrEqual(2);
  });
});

test("finds the same where folds hide it", () => {
  const messages = log(user("Build it."), assistant("ok"), user(reminder(GUIDE)), assistant("ok"), user("Go on."));
  const hidden = messages.map((message) => (message.id === "m2" ? tag(message, { condenseParent: "c" }) : message));
  const summary = tag(assistant("summary"), { id: "c", isSummary: true, condenseId: "c" });
  expect([...findStanding([...hidden.slice(0, 3), summary, ...hidden.slice(3)]).keys()]).toContain(2);
});

describe("what a short request answers", () => {
  const answered = (found: readonly string[]) => found.filter((each) => each.includes("plan:answered"));
  const list = "Open are:\n1. the fuse\n2. the lamp\n\nShall I mend both?";

  test.each<[string, string, string]>([
    ["a list of issues", list, "yeah please fix both"],
    ["a choice", "- keep the ring\n- rotate it", "the second one"],
    ["a question", "Which port should it take?", "8443"],
  ])("stands with it: %s", (_, said, request) => {
    const found = standing(
      user("Look."),
      assistant(said),
      user(request),
      assistant(call("a", "Read", {})),
      user(result("a")),
    );
    expect(answered(found)).toEqual(["1.0 plan plan:answered:1:0"]);
  });

  test("stands as long as the request does, and through those that only say to go on", () => {
    const talk = [user("Look."), assistant(list), user("fix both"), assistant("On it."), user("go on")];
    expect(answered(standing(...talk))).toHaveLength(1);
    expect(answered(standing(...talk, assistant("Done."), user("Now write the changelog.")))).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["says more than a few words", list, `Thanks. ${"Now look at the harbour instead. ".repeat(12)}`],
    ["follows plain words", "All lamps are lit.", "And the harbour?"],
    ["follows a list too long to keep", `${list}\n${"- one more\n".repeat(500)}`, "And the harbour?"],
  ])("is nothing where the request %s", (_, said, request) => {
    expect(answered(standing(user("Look."), assistant(said), user(request)))).toEqual([]);
  });

  describe("in a text too long to keep", () => {
    const prose = "The harbour was looked at from all sides, and most of it is in order. ".repeat(60);
    const point = (label: string, words: string) => `**${label}. The ${words}.** It ${words} where it should not.`;
    const review = [
      `# Review\n\n${prose}\n\n## Smaller things`,
      ...[
        point("A", "fuse hums"),
        point("B", "lamp blinks"),
        `${point("C", "mast leans")}\n\`\`\`sh\n# lean back\n\`\`\``,
      ],
      `## What looks clean\n\n- the ropes\n- the planks\n\n${prose}\nShall I mend them?`,
    ].join("\n\n");
    const shown = (said: Message, ...later: readonly Message[]) => {
      const messages = log(user("Look."), said, ...later);
      const parts = findStanding(messages).get(1) ?? [];
      return parts.map(({ span }) => review.slice(span?.start ?? 0, span?.end ?? 0).split(".")[0]);
    };

    test("is the points that the request names, for as long as it stands", () => {
      const talk = [user("ok, ignore A, do C too"), assistant(call("a", "Read", {})), user(result("a"))];
      expect(shown(assistant(review), ...talk)).toEqual(["**A", "**C"]);
      expect(shown(assistant(text(review)), ...talk, assistant("On it."), user("go on"))).toEqual(["**A", "**C"]);
      expect(shown(assistant(review), ...talk, assistant("Done."), user("Now write the changelog."))).toEqual([]);
    });

    test("is all points of the list where the request speaks of all or some of them", () => {
      expect(shown(assistant(review), user("the first two, please"))).toEqual(["**A", "**B", "**C"]);
    });

    test("is nothing where the request names no point of it", () => {
      expect(shown(assistant(review), user("Which of the ropes is new?"))).toEqual([]);
      expect(shown(assistant(review), user("F and 7"))).toEqual([]);
    });
  });

  test("is nothing that was followed by a call", () => {
    const calling = assistant(text(list), call("a", "Read", {}));
    expect(answered(standing(user("Look."), calling, user(result("a")), user("fix both")))).toEqual([]);
  });
});

describe("an approved plan", () => {
  const plan = "# Plan\n1. Add the ring.\n2. Rotate it.";
  const approved = (found: readonly string[]) => found.filter((each) => each.includes("plan:approved"));

  test("is the one that was written to the file which the approval names, with its later changes", () => {
    const found = standing(
      user("Plan it."),
      assistant(call("a", "Write", { file_path: "/plans/old.md", content: "# Old" })),
      user(result("a", "ok")),
      assistant(call("b", "Write", { file_path: "/plans/new.md", content: plan })),
      user(result("b", "ok")),
      assistant(call("c", "Edit", { file_path: "/plans/new.md", old_string: "ring", new_string: "key ring" })),
      user(result("c", "ok")),
      assistant(call("d", "Write", { file_path: "/src/plan.ts", content: "export {}" })),
      user(result("d", "ok")),
      assistant(call("p", "ExitPlanMode", {})),
      user(result("p", "User has approved your plan, saved at /plans/new.md")),
    );
    expect(approved(found)).toEqual(["3.0 plan plan:approved:3:0", "5.0 plan plan:approved:5:0"]);
  });

  test("is the one in the result, where a person changed it before approving it", () => {
    const found = standing(
      user("Plan it."),
      assistant(call("p", "ExitPlanMode", { plan })),
      user(result("p", "User has approved your plan with changes:\n\n## Approved Plan\n1. Only this.")),
    );
    expect(approved(found)).toEqual(["2.0 plan plan:approved:2:0"]);
  });

  test("is said by the assistant, and stays with the words that approved it", () => {
    const said = [user("Plan it."), assistant(plan), user("Looks good, but skip step 2")];
    expect(approved(standing(...said, assistant("ok"), user("And now?")))).toEqual([
      "1.0 plan plan:approved:1:0",
      "2.0 plan plan:approved:2:0",
    ]);
  });

  test.each(["yes", "OK, go ahead.", "Approved!", "lgtm", "sounds good to me", "implement the plan", "do it", "好的"])(
    "is what %j answers",
    (word) => {
      expect(approved(standing(user("Plan it."), assistant(plan), user(word)))).toHaveLength(2);
    },
  );

  test.each([
    "no",
    "Okra is a plant",
    "implement something else",
    "start over",
    "why?",
    "ok?",
    `yes ${"x".repeat(300)}`,
  ])("is not what %j answers", (word) => {
    expect(approved(standing(user("Plan it."), assistant(plan), user(word)))).toEqual([]);
  });

  test("is no plan that was followed by a call, nor one that something else was said after", () => {
    const calling = assistant(text(plan), call("r", "Read", { file_path: "a" }));
    expect(
      approved(standing(user("Plan it."), calling, user(result("r", "a")), assistant("Done."), user("yes"))),
    ).toEqual([]);
    expect(approved(standing(user("Plan it."), assistant(plan), user("hm"), assistant("Well."), user("yes")))).toEqual(
      [],
    );
  });
});
