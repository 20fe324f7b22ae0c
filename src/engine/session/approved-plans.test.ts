/** A plan that a person approved is word for word in the view, far beyond the window, whatever folds. */
import { describe, expect, test } from "vitest";
import { STRATEGIES } from "../../../test/properties/standing-runs.ts";
import { GOOD_SNAPSHOT, handler, replies } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, text, user } from "../../../test/support/messages.ts";
import { problemsOf, prose } from "../../../test/support/sessions.ts";
import { ChatCompressionService } from "../../compat/index.ts";
import { validateView } from "../../core/index.ts";
import { createEngine, type EngineOptions, type Message, restoreAllMessages } from "../../index.ts";

const PLAN = [
  "# Plan: rotate the signing keys",
  "",
  "1. Add `KeyRing` to src/auth/key-ring.ts, with at most 3 live keys.",
  "2. Let src/auth/rotate.ts retire a key only 26 hours after its successor was published.",
  "3. Keep the header `kid` byte for byte as it is today.",
  "4. Test with a clock that jumps over midnight UTC.",
].join("\n");
const OTHER = PLAN.replace("26 hours", "9 hours").replace("rotate the signing keys", "something else");
const FILE = "/home/ada/.agent/plans/brisk-otter.md";

/** How agents write a plan down, and how the person's approval reaches the model. */
const APPROVALS: Readonly<Record<string, readonly Message[]>> = {
  "Claude Code, plan in the call": [
    assistant(call("p", "ExitPlanMode", { plan: PLAN })),
    user(result("p", "User has approved your plan. You can now start coding.")),
  ],
  "Claude Code, plan in the result": [
    assistant(call("p", "ExitPlanMode", {})),
    user(result("p", `User has approved your plan. It is saved at ${FILE}\n\n## Approved Plan:\n${PLAN}`)),
  ],
  "Claude Code, plan in a file": [
    assistant(call("w", "Write", { file_path: FILE, content: PLAN })),
    user(result("w", "File created successfully")),
    assistant(call("p", "ExitPlanMode", {})),
    user(result("p", `User has approved your plan. It is saved at ${FILE}`)),
  ],
  "Gemini CLI, plan in a file": [
    assistant(call("w", "write_file", { file_path: FILE, content: PLAN })),
    user(result("w", "Successfully created and wrote to new file")),
    assistant(call("p", "exit_plan_mode", { plan_filename: "brisk-otter.md" })),
    user(result("p", "Plan approved. Switching to default mode. Read and follow the approved plan.")),
  ],
  "opencode, plan in a file": [
    assistant(call("w", "write", { filePath: ".opencode/plans/1.md", content: PLAN })),
    user(result("w", "Wrote file successfully.")),
    assistant(call("p", "plan_exit", {})),
    user(result("p", "User approved switching to build agent. Wait for further instructions.")),
  ],
  "Codex, plan in tags": [assistant(`<proposed_plan>\n${PLAN}\n</proposed_plan>`), user("Implement the plan.")],
  "Codex, update_plan": [
    assistant(call("p", "update_plan", { plan: PLAN.split("\n").map((step) => ({ step, status: "pending" })) })),
    user(result("p", "Plan updated")),
  ],
  "said, then go ahead": [assistant(`Here is what I would do.\n\n${PLAN}\n\nShall I start?`), user("Go ahead!")],
  "said, then approved with a word on it": [
    assistant(text("Let me propose this:"), text(PLAN)),
    user("Approved, but leave the changelog to me"),
  ],
  "said, then looks good": [assistant(PLAN), user("lgtm")],
  "Cline, plan mode": [
    assistant(call("p", "plan_mode_respond", { response: PLAN })),
    user(result("p", "[The user has switched to ACT MODE, so you may now proceed with the task.]")),
  ],
};

/** Work of many times the window, with new requests of the person in between. */
function work(from: number): readonly Message[] {
  return [1, 2, 3, 4].flatMap((round) => [
    user(`Now look into part ${from + round} of it.`),
    ...Array.from({ length: 8 }, (_, index) => [
      assistant(call(`c${from}-${round}-${index}`, "run_command", { command: `make part-${from}-${round}-${index}` })),
      user(result(`c${from}-${round}-${index}`, prose(1_500, `output ${from} ${round} ${index}`))),
    ]).flat(),
    assistant(`Part ${from + round} is done.`),
  ]);
}

/** Whether every line of the plan is shown, in order and as it was written, in one block. */
function showsPlan(view: readonly Message[], plan: string): boolean {
  const lines = plan.split("\n").filter((line) => line !== "");
  // What a summary quotes is not the plan.
  const said = view.filter(({ isSummary }) => isSummary !== true);
  const blocks = said.flatMap(({ content }): readonly unknown[] => (typeof content === "string" ? [content] : content));
  return blocks.some((block) => {
    const written = JSON.stringify(block);
    let place = 0;
    return lines.every((line) => {
      const found = written.indexOf(JSON.stringify(line).slice(1, -1), place);
      place = found;
      return found >= 0;
    });
  });
}

async function lived(options: (given: EngineOptions) => ReturnType<typeof createEngine>, messages: readonly Message[]) {
  const engine = options({ model: "scripted", contextWindow: 12_000, maxTokens: 1_000, now: () => 0 });
  const session = await engine.session("task");
  const shown: boolean[] = [];
  let folds = 0;
  for (const message of messages) {
    await session.append(message);
    if (message.role !== "user") continue;
    const { messages: view, report } = await session.prepare();
    folds += report.foldIds.length;
    shown.push(showsPlan(view, PLAN));
  }
  return { session, shown, folds };
}

const opening = [user("Rotate the signing keys of the service. Plan first."), assistant("I will look around first.")];

describe.each(Object.entries(STRATEGIES))("%s", (_, open) => {
  test.each(Object.entries(APPROVALS))("%s", async (_name, approval) => {
    const messages = log(...opening, user("Well?"), ...approval, ...work(0));
    const { session, shown, folds } = await lived(open, messages);
    const since = shown.slice(shown.indexOf(true));
    expect(folds).toBeGreaterThan(1);
    expect(since.length).toBeGreaterThan(30);
    expect(since).toEqual(since.map(() => true));
    expect(await problemsOf(session, messages)).toEqual([]);
  });
});

describe("ChatCompressionService", () => {
  const service = new ChatCompressionService({ handlerFor: () => handler(replies(GOOD_SNAPSHOT)) });

  // A list of steps, as `update_plan` states it, is approved by nobody: the snapshot itself tells how far it has come.
  const approvals = Object.entries(APPROVALS).filter(([name]) => name !== "Codex, update_plan");

  test.each(approvals)("%s", async (_name, approval) => {
    const said: Message[] = [];
    let messages: readonly Message[] = [];
    for (const round of [0, 1, 2]) {
      const added = [...(round === 0 ? [...opening, user("Well?"), ...approval] : []), ...work(round * 10)];
      const named = added.map((message, index) => ({ ...message, id: `m${round}-${index}` }));
      said.push(...named);
      const { newHistory, ...after } = await service.compress({
        messages: [...messages, ...named],
        model: "m",
        force: true,
      });
      expect(after.info.compressionStatus).toBe("COMPRESSED");
      expect(newHistory?.[0]?.isSummary).toBe(true);
      expect(newHistory?.filter(({ isSummary, role }) => isSummary === true && role === "user")).toHaveLength(1);
      expect(showsPlan(newHistory ?? [], PLAN)).toBe(true);
      expect(validateView(newHistory ?? [])).toEqual([]);
      expect(JSON.stringify(restoreAllMessages(after.messages))).toBe(JSON.stringify(said));
      messages = after.messages;
    }
  });

  test("keeps nothing else that binds: its snapshot tells it", async () => {
    const { newHistory } = await service.compress({ messages: log(...opening, ...work(0)), model: "m", force: true });
    expect(JSON.stringify(newHistory)).not.toContain("Rotate the signing keys of the service.");
  });
});

describe("a plan binds", () => {
  const approved = APPROVALS["Claude Code, plan in the call"] ?? [];
  const propose = (answer: string, isError: boolean): readonly Message[] => [
    assistant(call("q", "ExitPlanMode", { plan: OTHER })),
    user({ type: "tool_result", tool_use_id: "q", content: answer, is_error: isError }),
  ];

  test("also when a later proposal was turned down", async () => {
    const messages = log(
      ...opening,
      user("Well?"),
      ...approved,
      ...propose("The user doesn't want to proceed", true),
      ...work(0),
    );
    expect((await lived(createEngine, messages)).shown.at(-1)).toBe(true);
  });

  test("until another one is approved", async () => {
    const messages = log(
      ...opening,
      user("Well?"),
      ...approved,
      ...propose("User has approved your plan.", false),
      ...work(0),
    );
    const { session, shown } = await lived(createEngine, messages);
    expect(shown.at(-1)).toBe(false);
    expect(showsPlan(await session.view(), OTHER)).toBe(true);
  });

  test.each([
    ["asked about", "What about the tests?"],
    ["turned down", "No, that is too much."],
    ["answered with a question", "ok, but why 26 hours?"],
    ["thrown away", "Start over, please."],
  ])("not where it was only %s", async (_, answer) => {
    const messages = log(...opening, user("Well?"), assistant(PLAN), user(answer), ...work(0));
    expect((await lived(createEngine, messages)).shown.at(-1)).toBe(false);
  });

  test("not where what was said is no plan", async () => {
    const said = "There are 3 files, and none of them is tested.";
    const messages = log(...opening, user("Well?"), assistant(said), user("go ahead"), ...work(0));
    const { session } = await lived(createEngine, messages);
    const view = (await session.view()).filter(({ isSummary }) => isSummary !== true);
    expect(JSON.stringify(view)).not.toContain(said);
  });
});
