import { expect, test } from "vitest";
import { assistant, call, chat, log, result, user } from "../../../test/support/messages.ts";
import { backTest } from "./back-test.ts";

const session = log(
  user("Make rotateKeys in src/keys.ts use port 8443, never 8080."),
  assistant(call("a", "Read", { path: "src/keys.ts" })),
  user(result("a", "export function rotateKeys() {}\nconst LEGACY_PORT = 8080;")),
  assistant("I edit src/keys.ts now.", call("b", "Edit", { path: "src/keys.ts", text: "port 8443" })),
  user(result("b", "done")),
  assistant("rotateKeys uses 8443."),
);

test("asks a text for what the agent used in its newest calls without being told it again", () => {
  const { needed } = backTest(session, "", { calls: 2 });
  expect(needed).toEqual(["src/keys.ts", "8443", "rotateKeys"]);
});

test("scores what the text names, as whole identifiers, and says what is missing", () => {
  expect(backTest(session, "In src/keys.ts, the port is 8443.", { calls: 2 })).toMatchObject({
    score: expect.closeTo(2 / 3),
    missing: ["rotateKeys"],
  });
  expect(backTest(session, "rotateKeysLater in src/keys.tsx", { calls: 2 }).score).toBe(0);
});

test("asks for nothing where nothing had to be remembered", () => {
  expect(backTest(chat(6), "anything")).toEqual({ score: 1, needed: [], missing: [] });
  expect(backTest([], "")).toEqual({ score: 1, needed: [], missing: [] });
});

test("looks back over the whole log where there are fewer calls than asked for", () => {
  expect(backTest(session, "", { calls: 500 }).needed).toEqual(backTest(session, "", { calls: 3 }).needed);
});

test("reads texts by the eval's own rules, not by those that a ledger is written by", () => {
  const marked = log(
    user("The `harbour` field is wrong in 文档."),
    assistant("I look at `harbour`."),
    user("Go on."),
    assistant("Done with `harbour`."),
  );
  expect(backTest(marked, "", { calls: 2 })).toMatchObject({ score: 0, missing: ["harbour"] });
  expect(backTest(marked, "The harbour field is wrong.", { calls: 2 }).score).toBe(1);
});

test("knows a path of Windows in whatever way it was written before", () => {
  const windows = log(
    user(String.raw`Look at C:\work\keys.ts.`),
    assistant("Yes."),
    user("Go on."),
    assistant(call("a", "Read", { path: "C:/work/keys.ts" })),
  );
  expect(backTest(windows, "", { calls: 1 }).needed).toEqual(["C:/work/keys.ts"]);
});
