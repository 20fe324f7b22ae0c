/** What a compressed history looks like, and what becomes of it when the model fails. */
import { describe, expect, test } from "vitest";
import {
  FAILING,
  GOOD_SNAPSHOT,
  handler,
  hangs,
  inTurn,
  replies,
  type ScriptedHandler,
} from "../../test/support/handlers.ts";
import { longTalk, toolLoop, words } from "../../test/support/long-talk.ts";
import { assistant, call, condense, ids, log, result, tag, user } from "../../test/support/messages.ts";
import { parseSnapshot } from "../core/condense/snapshot/parse-snapshot.ts";
import { restoreAllMessages, restoreMessages } from "../core/history/restore.ts";
import { effectiveView } from "../core/message/effective-view.ts";
import type { Message } from "../core/message/message.ts";
import { validateView } from "../core/message/validate-view.ts";
import { ChatCompressionService, type CompressRequest } from "./chat-compression-service.ts";

function compress(
  messages: readonly Message[],
  model: ScriptedHandler = handler(replies(GOOD_SNAPSHOT)),
  request: Partial<CompressRequest> = {},
) {
  const service = new ChatCompressionService({ handlerFor: () => model, timeoutMs: 20 });
  return service.compress({ messages, model: "gpt-3.5-turbo", force: true, ...request });
}

const characters = (messages: readonly Message[]) =>
  messages.reduce((sum, each) => sum + JSON.stringify(each.content).length, 0);
const textOf = (message: Message | undefined) => JSON.stringify(message?.content ?? "");
const talk = longTalk(20, 500);

describe("the new history", () => {
  test("is the snapshot as the user's, a short acknowledgement as the model's, then the newest 30 %", async () => {
    const { newHistory, messages } = await compress(talk);
    const [snapshot, acknowledgement, ...kept] = newHistory ?? [];
    expect(snapshot?.role).toBe("user");
    for (const part of [
      "<state_snapshot>",
      "<overall_goal>",
      "[IN PROGRESS] Run the tests once more.",
      "MODIFIED: src/auth/rotate.ts",
    ]) {
      expect(textOf(snapshot)).toContain(part);
    }
    expect(acknowledgement?.role).toBe("assistant");
    expect(textOf(acknowledgement).length).toBeLessThan(100);
    expect(kept).toEqual(talk.slice(-kept.length));
    expect(kept[0]?.role).toBe("user");
    // The first split at or past 70 % of the characters.
    const share = characters(kept) / characters(talk);
    expect(share).toBeLessThanOrEqual(0.3);
    expect(share).toBeGreaterThan(0.3 - characters(talk.slice(0, 2)) / characters(talk));
    expect(validateView(newHistory ?? [])).toEqual([]);
    expect(effectiveView(messages)).toEqual(newHistory);
  });

  test("holds no word of the scratchpad, nor what stands around the snapshot", async () => {
    const chatty = handler(replies(`Sure, here it is.\n${GOOD_SNAPSHOT}\nAnything else?`));
    const { newHistory, messages } = await compress(talk, chatty);
    const all = JSON.stringify([newHistory, messages]);
    for (const word of ["scratchpad", "nobody else", "Sure, here", "Anything else"]) expect(all).not.toContain(word);
  });

  test("is the snapshot alone where the model spoke last and calls nothing more", async () => {
    const finished = [...longTalk(2, 2_000), ...log(user("Is it done?"), assistant(words(3_000)))].map(
      (message, index) => ({
        ...message,
        id: `m${index}`,
      }),
    );
    const { newHistory } = await compress(finished);
    expect(newHistory?.map((message) => message.role)).toEqual(["user", "assistant"]);
  });

  test("of one prompt and one long tool loop splits between the calls, pairs whole", async () => {
    const loop = toolLoop(30, 400);
    const { newHistory, info, messages } = await compress(loop);
    expect(info.compressionStatus).toBe("COMPRESSED");
    expect(validateView(newHistory ?? [])).toEqual([]);
    // The snapshot is a user's turn, so the kept call of the assistant follows it at once.
    const [snapshot, ...kept] = newHistory ?? [];
    expect(textOf(snapshot)).toContain("<state_snapshot>");
    expect(kept).toEqual(loop.slice(-kept.length));
    expect(kept.length).toBeGreaterThan(loop.length * 0.2);
    expect(kept.length).toBeLessThan(loop.length * 0.4);
    expect(restoreAllMessages(messages)).toEqual(loop);
  });

  test("keeps a call that is still running, so that its result pairs up later", async () => {
    for (const calls of [12, 30]) {
      const running = [...toolLoop(calls, 400), tag(assistant(call("t99", "run", { command: "make" })), { id: "run" })];
      const { messages, info } = await compress(running);
      expect(info.compressionStatus).toBe("COMPRESSED");
      const later = [...messages, tag(user(result("t99", "built")), { id: "built" })];
      expect(validateView(effectiveView(later))).toEqual([]);
    }
  });

  test("keeps what a person marked as important, with its pair", async () => {
    const marked = toolLoop(30, 400).map((message) =>
      message.id === "m6" ? tag(message, { important: true }) : message,
    );
    const { newHistory, messages } = await compress(marked);
    expect(ids(newHistory ?? [])).toEqual(expect.arrayContaining(["m5", "m6"]));
    expect(validateView(newHistory ?? [])).toEqual([]);
    expect(restoreAllMessages(messages)).toEqual(marked);
  });

  test("gives the original back to the last byte when its fold is restored", async () => {
    for (const original of [talk, toolLoop(30, 400)]) {
      const { messages, info } = await compress(original);
      const restored = restoreMessages(messages, info.condenseId ?? "");
      expect(JSON.stringify(restored)).toBe(JSON.stringify(original));
    }
  });

  test("is the same, byte for byte, for the same history and reply", async () => {
    expect(JSON.stringify(await compress(talk))).toBe(JSON.stringify(await compress(talk)));
  });

  test("folds no message that an older fold hides once more", async () => {
    const folded = condense(talk, "c1", ["m1", "m2", "m3", "m4"]);
    const { messages } = await compress(folded);
    const parents = messages.slice(1, 5).map((message) => message.condenseParent);
    expect(parents).toEqual(["c1", "c1", "c1", "c1"]);
    expect(restoreAllMessages(messages)).toEqual(talk);
  });
});

describe("a second compression", () => {
  const second = GOOD_SNAPSHOT.replace("3. [TODO] Write the change log.", "3. [DONE] Write the change log.");

  async function compressTwice() {
    const model = handler(inTurn(replies(GOOD_SNAPSHOT), replies(second)));
    const first = await compress(talk, model);
    const more = longTalk(20, 500).map((message) => ({ ...message, id: `n${message.id}` }));
    const again = await compress([...first.messages, ...more], model);
    return { model, first, again, original: [...talk, ...more] };
  }

  test("leaves one snapshot in the view, not one inside the other", async () => {
    const { again, original } = await compressTwice();
    expect(again.info.compressionStatus).toBe("COMPRESSED");
    const view = again.newHistory ?? [];
    expect(JSON.stringify(view).split("<state_snapshot>")).toHaveLength(2);
    expect(textOf(view[0])).toContain("[DONE] Write the change log.");
    expect(view.filter((message) => message.isSummary === true)).toHaveLength(2);
    expect(validateView(view)).toEqual([]);
    expect(restoreAllMessages(again.messages)).toEqual(original);
  });

  test("hands the first snapshot to the model once, to be integrated", async () => {
    const { model, first } = await compressTwice();
    const request = JSON.stringify(model.asked[1]?.messages);
    const parsed = parseSnapshot(GOOD_SNAPSHOT);
    const snapshot = parsed.type === "snapshot" ? parsed.text : "";
    expect(request.split(JSON.stringify(snapshot).slice(1, -1))).toHaveLength(2);
    // Neither what the fold says of itself nor the acknowledgement is conversation.
    expect(request).not.toContain(first.info.condenseId);
    expect(request).not.toContain(textOf(first.newHistory?.[1]).slice(1, -1));
  });

  test("can be restored step by step", async () => {
    const { first, again, original } = await compressTwice();
    const once = restoreMessages(again.messages, again.info.condenseId ?? "");
    expect(JSON.stringify(restoreMessages(once, first.info.condenseId ?? ""))).toBe(JSON.stringify(original));
  });

  test("right after the first finds nothing to do", async () => {
    const model = handler(replies(GOOD_SNAPSHOT));
    const first = await compress(longTalk(4, 500), model);
    const again = await compress(first.messages, model);
    expect(again.messages).toBe(first.messages);
    expect(again.info.compressionStatus).toBe("NOOP");
    expect(model.asked).toHaveLength(1);
  });
});

test("a plain snapshot of another agent is handed to the model as the earlier one, once, and replaced", async () => {
  const foreign = "<state_snapshot>\nKeys rotate every 24 hours.\n</state_snapshot>";
  const model = handler(replies(GOOD_SNAPSHOT));
  const history = [tag(user(foreign), { id: "s1" }), tag(assistant("Understood."), { id: "s2" }), ...talk];
  const { newHistory, messages } = await compress(history, model);
  const asked = model.asked.flatMap((request) => request.messages.map(({ content }) => JSON.stringify(content)));
  expect(asked.filter((content) => content.includes("Keys rotate"))).toEqual([asked.at(-1)]);
  expect(asked.at(-1)).toContain(String.raw`<earlier_summary>\n<state_snapshot>`);
  expect(ids(newHistory ?? [])).not.toContain("s1");
  expect(JSON.stringify(newHistory).split("<state_snapshot>")).toHaveLength(2);
  expect(restoreAllMessages(messages)).toEqual(history);
});

describe("a model that fails", () => {
  const without = (part: string) => GOOD_SNAPSHOT.replace(new RegExp(`<${part}>[^]*</${part}>`), "");

  test.each<[string, ScriptedHandler, RegExp]>([
    ["throws", handler(FAILING.throws), /overloaded/],
    ["throws at once", handler(FAILING.throwsAtOnce), /no key/],
    ["says nothing", handler(FAILING.repliesNothing), /no text/],
    ["only reasons", handler(FAILING.onlyReasons), /no text/],
    ["dies while it writes", handler(FAILING.diesMidStream), /socket hang up/],
    ["never answers", handler(hangs), /20 ms/],
    ["writes prose", handler(replies("The person asked for a fix.")), /no <state_snapshot>/],
    ["writes only a scratchpad", handler(replies("<scratchpad>notes</scratchpad>")), /no <state_snapshot>/],
    ["never ends its scratchpad", handler(replies(GOOD_SNAPSHOT.replace("</scratchpad>", ""))), /never closed/],
    ["is cut off", handler(replies(GOOD_SNAPSHOT.slice(0, -60))), /never closed/],
    ["leaves out the plan", handler(replies(without("current_plan"))), /current_plan/],
    ["leaves out the goal", handler(replies(without("overall_goal"))), /overall_goal/],
    ["leaves out what it knows", handler(replies(without("key_knowledge"))), /key_knowledge/],
  ])("because it %s leaves the history untouched, and the status says so", async (_, model, error) => {
    const { messages, newHistory, info } = await compress(talk, model);
    expect(messages).toBe(talk);
    expect(newHistory).toBeNull();
    expect(info.compressionStatus).toBe("COMPRESSION_FAILED_MODEL_ERROR");
    expect(info.error).toMatch(error);
    expect(info.newTokenCount).toBe(info.originalTokenCount);
  });

  test("is paid for all the same", async () => {
    const { info } = await compress(talk, handler(replies("No snapshot.", { totalCost: 0.25 })));
    expect(info).toMatchObject({ compressionStatus: "COMPRESSION_FAILED_MODEL_ERROR", cost: 0.25 });
  });

  test.each<[string, () => ScriptedHandler]>([
    [
      "cannot be made",
      () => {
        throw new Error("no such model");
      },
    ],
    ["is missing", () => JSON.parse("null")],
    ["is no handler", () => JSON.parse("{}")],
  ])("because its handler %s is a failed compression, not an exception", async (_, handlerFor) => {
    const service = new ChatCompressionService({ handlerFor });
    const { info, messages } = await service.compress({ messages: talk, model: "gpt-3.5-turbo", force: true });
    expect(messages).toBe(talk);
    expect(info.compressionStatus).toBe("COMPRESSION_FAILED_MODEL_ERROR");
    expect(info.error).toBeTruthy();
  });
});
