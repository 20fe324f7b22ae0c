/** The points that a short request names are in the view, far beyond the window, for as long as it is the newest request. */
import { expect, test } from "vitest";
import { STRATEGIES } from "../../../test/properties/standing-runs.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { problemsOf, prose } from "../../../test/support/sessions.ts";

const POINTS = [
  "**B. The retry ignores `Retry-After`.** `fetchKeys` waits 2 seconds whatever the header says.",
  "**C. The example shows a live key.** Replace it by `kid-example` in docs/keys.md.",
];
const REVIEW = [
  `# Review\n\n${prose(900, "what was looked at")}\n\n## Smaller things`,
  "**A. The name `rotateAll` is too wide.** A matter of taste.",
  ...POINTS,
  `## What looks clean\n\n- the tests\n- the types\n\n${prose(400, "what is clean")}\n\nShall I change it?`,
].join("\n\n");

/** Work of several times the window. */
const work = Array.from({ length: 24 }, (_, index) => [
  assistant(call(`c${index}`, "run_command", { command: `make part-${index}` })),
  user(result(`c${index}`, prose(1_500, `output ${index}`))),
]).flat();

test.each(Object.entries(STRATEGIES))("%s", async (_, open) => {
  const talk = [user("Review the rotation of keys."), assistant(REVIEW), user("ok, ignore A, do B and C, then stop")];
  const messages = log(...talk, ...work);
  const engine = open({ model: "scripted", contextWindow: 12_000, maxTokens: 1_000, now: () => 0 });
  const session = await engine.session("task");
  let folds = 0;
  for (const [index, message] of messages.entries()) {
    await session.append(message);
    if (message.role !== "user" || index < talk.length) continue;
    const { messages: view, report } = await session.prepare();
    folds += report.foldIds.length;
    // What a summary quotes is not what was said.
    const said = view.filter(({ isSummary }) => isSummary !== true).map(({ content }) => JSON.stringify(content));
    for (const point of POINTS) expect(said.join("\n")).toContain(point);
  }
  expect(folds).toBeGreaterThan(1);
  expect(await problemsOf(session, messages)).toEqual([]);
});
