/** Conversations that look alike and are not, and one that does not look the same and is. */
import { describe, expect, test } from "vitest";
import type { AgentRequest } from "../../src/gateway/turn.ts";
import { asking, gatewayTurns, steps, type WireMessage } from "../support/gateway-turns.ts";
import type { KnownWire } from "../support/known-wires.ts";
import { asks, logTexts, MINE, quiet, replies, sendMine, sessionIds, sessionOf } from "./gateway-examples.ts";
import { makeRequest } from "./gateway-requests.ts";
import type { Said, Talk } from "./gateway-talk.ts";

const PLAIN = { asBlocks: false, isMarked: false, otherKeyOrder: false };

function requestOf(wire: KnownWire, talk: Talk, hasCallIds = false): AgentRequest {
  const form = { ...PLAIN, hasCallIds };
  const named = { headers: {}, bodySession: undefined };
  return makeRequest({ wire, talk, form, isOtherModel: false, hasTools: true, isCount: false, ...named }).request;
}

/** A talk whose calls have no ids of their own: `call_0`, or none at all on Gemini. */
function talkOf(who: string, count: number): Talk {
  const talk: Said[] = [{ type: "asks", text: "Fix it." }];
  for (let index = 0; index < count; index++) {
    const call = { id: `call_${index}`, path: `${who}-${index}.ts` };
    talk.push({ type: "replies", text: "", calls: [call] });
    talk.push({
      type: "answers",
      results: [{ ...call, text: `The text of ${who}-${index}, which is long enough to tell.` }],
    });
  }
  return talk;
}

describe("strangers whom nobody names", () => {
  for (const wire of ["gemini", "openai-chat", "openai-responses", "anthropic"] as const) {
    test(`have sessions of their own though their calls have the same ids: ${wire}`, async () => {
      const gateway = gatewayTurns();
      for (let count = 1; count <= 4; count++) {
        for (const [who, other] of [
          ["ann", "bob"],
          ["bob", "ann"],
        ] as const) {
          const turn = await gateway.exchange(requestOf(wire, talkOf(who, count), wire !== "gemini"));
          expect((await logTexts(gateway, sessionOf(turn))).join()).not.toContain(`${other}-`);
        }
      }
      const sizes = await Promise.all(
        (await sessionIds(gateway)).map(async (id) => (await logTexts(gateway, id)).length),
      );
      expect(sizes.filter((size) => size === 9)).toHaveLength(2);
    });
  }

  test("have sessions of their own though both openings are made of one template", async () => {
    const gateway = gatewayTurns();
    const talk = (file: string) => [
      asks(`Please review the file ${file}.ts and tell what is wrong with it.`),
      replies("Sure, I'll look."),
      asks("go on"),
    ];
    const [one, other] = [await gateway.exchange(asking(talk("alpha"))), await gateway.exchange(asking(talk("beta")))];
    expect(sessionOf(one)).not.toBe(sessionOf(other));
    expect((await logTexts(gateway, sessionOf(one))).join()).toContain("alpha");
  });

  test("do not take each other's sessions back though both were greeted alike", async () => {
    const gateway = gatewayTurns();
    const talk = (who: string) => [
      asks("Hi"),
      replies("Hello! How can I help?"),
      asks(`${who} wants this`),
      replies("Ah."),
      asks("Go on."),
    ];
    await gateway.exchange(asking(talk("Ann")));
    const turn = await gateway.exchange(asking(talk("Bob")));
    const exported = await (await gateway.engine.session(sessionOf(turn))).export();
    expect(JSON.stringify(exported)).not.toContain("Ann");
  });

  test("get sessions of their own however many began with the same words and changed them later", async () => {
    const gateway = gatewayTurns();
    for (const id of ["first-agent", "second-agent", "third-agent", "fourth-agent"]) {
      for (let count = 0; count <= 2; count++) {
        const opening = count < 2 ? "Do the daily job." : `Do the daily job. It is that of ${id}.`;
        await gateway.exchange(asking(steps(id, count, { opening })));
        await quiet();
      }
    }
    expect(gateway.incidents).toEqual([]);
  });
});

describe("one conversation", () => {
  const name = "is one though each request ends with a reminder that the next one has not";
  const isOne = async (wire: KnownWire) => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count < 15; count++) {
      const talk = talkOf("ann", count);
      const reminded = talk.map((said, index) => {
        return index === talk.length - 1 && said.type !== "replies" ? { ...said, reminder: `It is ${count}.` } : said;
      });
      await gateway.exchange(requestOf(wire, reminded));
    }
    expect((await sessionIds(gateway)).length).toBeLessThanOrEqual(2);
  };
  test(`${name}: openai-chat`, () => isOne("openai-chat"));
  test(`${name}: gemini`, () => isOne("gemini"));
  test(`${name}: anthropic`, () => isOne("anthropic"));

  test("is one though its opening was folded, and had a reminder that is gone", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const text = Array.from({ length: 3_000 }, (_, line) => `line ${line} says ${line * 7919}`).join("\n");
    const opening = (...reminders: readonly string[]): WireMessage => {
      return { role: "user", content: [text, ...reminders].map((each) => ({ type: "text", text: each })) };
    };
    await sendMine(gateway, [opening("<reminder/>")]);
    await sendMine(gateway, [opening(), ...steps("a", 1).slice(1)]);
    expect(await sessionIds(gateway)).toEqual(["mine"]);
  });
});

describe("an agent with a window of its own", () => {
  test("stays in one session though it drops its oldest exchanges", async () => {
    const gateway = gatewayTurns();
    for (let count = 0; count <= 16; count++) {
      const [opening, ...exchanges] = steps("one-of-many-agents", count);
      await sendMine(gateway, [...(opening === undefined ? [] : [opening]), ...exchanges.slice(-16)]);
    }
    expect((await sessionIds(gateway)).length).toBeLessThanOrEqual(2);
  });
});

describe("questions on the side", () => {
  const question = [replies("Well."), asks("Summarise all of it.")];

  test("are no part of the log after a restart either", async () => {
    const before = gatewayTurns();
    await sendMine(before, steps("a", 3));
    const after = gatewayTurns({ store: before.store });
    await after.exchange(asking([...steps("a", 3), ...question], { headers: MINE, tools: [] }));
    const texts = await logTexts(after, "mine");
    expect(texts).toHaveLength(8);
    expect(texts.at(-1)).toBe(JSON.stringify(question[0]?.content));
  });

  test("make no sessions, however long the history is", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 20; count <= 24; count++) {
      const messages = steps("a", count, { resultLength: 2_000 });
      await sendMine(gateway, messages);
      await gateway.exchange(asking([...messages, ...question], { headers: MINE, tools: [] }));
    }
    expect(await sessionIds(gateway)).toEqual(["mine"]);
  });

  test("are not what a chat without tools is, though it shares words with others", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking([asks("Hello A"), replies("a"), asks("go on"), ...steps("a", 2).slice(1)]));
    const chat = [asks("Hello B"), replies("b"), asks("go on"), replies("b2"), asks("more")];
    const turn = await gateway.exchange(asking(chat, { tools: [] }));
    expect(await logTexts(gateway, sessionOf(turn))).toHaveLength(5);
  });
});
