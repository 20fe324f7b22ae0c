import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GatewayTurns, gatewayTurns } from "../../../test/support/gateway-turns.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { AgentRequest } from "../turn.ts";

interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly object[];
}

const said = (role: GeminiContent["role"], text: string): GeminiContent => ({ role, parts: [{ text }] });

/** Gemini's calls have no ids before version 3. */
function step(id: string, number: number, resultLength: number): readonly GeminiContent[] {
  const call = { name: "read_file", args: { path: `src/${id}-${number}.ts` } };
  const output = `What ${id} reads in step ${number}. `.repeat(Math.ceil(resultLength / 30));
  return [
    { role: "model", parts: [{ functionCall: call }] },
    { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output } } }] },
  ];
}

function geminiTalk(id: string, count: number, resultLength = 100): readonly GeminiContent[] {
  const steps = Array.from({ length: count }, (_, number) => step(id, number, resultLength));
  return [said("user", "Fix the login test."), ...steps.flat()];
}

const GEMINI_TOOLS = [{ functionDeclarations: [{ name: "read_file" }, { name: "write_file" }] }];

function askingGemini(
  contents: readonly GeminiContent[],
  { tools = GEMINI_TOOLS, model = "gemini-2.5-pro", more = {} }: GeminiAsking = {},
): AgentRequest {
  const body = Buffer.from(JSON.stringify({ contents, ...(tools.length > 0 && { tools }), ...more }));
  const path = `/v1beta/models/${model}:generateContent`;
  return { api: "gemini", path, headers: {}, body, upstream: "http://upstream.test" };
}

interface GeminiAsking {
  readonly tools?: readonly object[];
  readonly model?: string;
  readonly more?: object;
}

const LOOP_QUESTION =
  "Please analyze the conversation history to determine the possibility that the conversation is stuck in a repetitive, non-productive state.";

/** As Gemini CLI asks it after some thirty turns, and again every few turns. */
function loopCheck(slice: readonly GeminiContent[], { hasRequest = true } = {}): AgentRequest {
  const request = said("user", "<original_user_request>\nFix the login test.\n</original_user_request>");
  const schema = { type: "object", properties: { unproductive_state_confidence: { type: "number" } } };
  return askingGemini([...(hasRequest ? [request] : []), ...slice, said("user", LOOP_QUESTION)], {
    tools: [],
    model: "gemini-2.5-flash",
    more: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } },
  });
}

const sessionIds = async ({ engine }: GatewayTurns) => (await engine.sessions({ limit: 1_000 })).map(({ id }) => id);

const logOf = async ({ engine }: GatewayTurns, id: string) =>
  (await (await engine.session(id)).log()).filter((message) => !isStandIn(message));

async function workOn(gateway: GatewayTurns, count: number, resultLength?: number): Promise<readonly GeminiContent[]> {
  for (let done = 0; done <= count; done++) await gateway.exchange(askingGemini(geminiTalk("a", done, resultLength)));
  return geminiTalk("a", count, resultLength);
}

async function expectNoTrace(gateway: GatewayTurns, check: AgentRequest, logLength: number): Promise<void> {
  const turn = await gateway.exchange(check);
  expect(turn.headers()["x-palimpsest-session"]).toBeUndefined();
  const [id = "", ...others] = await sessionIds(gateway);
  expect(others).toEqual([]);
  expect(await logOf(gateway, id)).toHaveLength(logLength);
  expect(gateway.incidents).toEqual([]);
}

describe("a check that quotes the middle of a conversation leaves no trace", () => {
  test.each<[string, (talk: readonly GeminiContent[]) => AgentRequest]>([
    ["behind the person's request", (talk) => loopCheck(talk.slice(-20))],
    ["that begins with a call", (talk) => loopCheck(talk.slice(-20), { hasRequest: false })],
    ["that begins with a result", (talk) => loopCheck(talk.slice(-19), { hasRequest: false })],
    ["behind the person's request, with a result first", (talk) => loopCheck(talk.slice(-19))],
    ["of one step", (talk) => loopCheck(talk.slice(20, 22))],
    ["that is a result alone", (talk) => loopCheck(talk.slice(22, 23))],
  ])("%s", async (_, checkOf) => {
    const gateway = gatewayTurns();
    const talk = await workOn(gateway, 30);
    await expectNoTrace(gateway, checkOf(talk), 61);
    await gateway.exchange(askingGemini(geminiTalk("a", 31)));
    await expectNoTrace(gateway, checkOf(geminiTalk("a", 31)), 63);
  });

  test("where that conversation is folded, and where it is found in the store alone", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const talk = await workOn(gateway, 40, 2_000);
    expect(gateway.activities.some((each) => each.type === "request" && each.foldIds.length > 0)).toBe(true);
    for (const place of [1, 21, 61]) await expectNoTrace(gateway, loopCheck(talk.slice(place, place + 20)), 81);
    const restarted = gatewayTurns({ window: 16_000, store: gateway.store });
    for (const place of [1, 21, 61]) await expectNoTrace(restarted, loopCheck(talk.slice(place, place + 20)), 81);
    await expectNoTrace(restarted, loopCheck(talk.slice(22, 42), { hasRequest: false }), 81);
  });

  test("though it does not fit, and the same bytes are sent each time", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const talk = await workOn(gateway, 12, 8_000);
    const check = loopCheck(talk.slice(-20));
    const [one, other] = [await gateway.exchange(check), await gateway.exchange(check)];
    expect(one.body?.length).toBeLessThan(check.body.length);
    expect(other.body).toBe(one.body);
    await expectNoTrace(gateway, check, 25);
  });

  test("though its ids are written in another way: Gemini CLI puts the function's name before them there", async () => {
    const withIds = (talk: readonly GeminiContent[], idOf: (place: number) => string) =>
      talk.map(({ role, parts }, place) => {
        const number = Math.ceil(place / 2);
        const named = parts.map((part) =>
          Object.fromEntries(
            Object.entries(part).map(([key, value]) => [key, key === "text" ? value : { ...value, id: idOf(number) }]),
          ),
        );
        return { role, parts: named };
      });
    const gateway = gatewayTurns();
    const talk = geminiTalk("a", 30);
    await gateway.exchange(askingGemini(withIds(talk, (number) => `read_file_${1_794_787_305_000 + number}_0`)));
    const quoted = withIds(talk, (number) => `read_file__read_file_${1_794_787_305_000 + number}_0`);
    await expectNoTrace(gateway, loopCheck(quoted.slice(-20)), 61);
    await expectNoTrace(gatewayTurns({ store: gateway.store }), loopCheck(quoted.slice(-19)), 61);
  });

  test("also of its words alone: two messages in a row", async () => {
    const words = [
      said("model", "I looked at the test. It expects a cookie that nobody sets any more."),
      said("user", "Then set it in the fixture, as the other tests of that folder do."),
    ];
    const talk = [...geminiTalk("a", 3), ...words, ...step("b", 0, 100)];
    const gateway = gatewayTurns();
    await gateway.exchange(askingGemini(talk));
    await expectNoTrace(gateway, loopCheck(words), talk.length);
    await expectNoTrace(gatewayTurns({ store: gateway.store }), loopCheck(words), talk.length);
  });
});

const CHAT_TOOLS = [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }];

function chatTalk(count: number): readonly object[] {
  const steps = Array.from({ length: count }, (_, number) => {
    const call = { id: `call_${number}`, type: "function", function: { name: "read_file", arguments: "{}" } };
    return [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: `What is read in step ${number}.` },
    ];
  });
  return [{ role: "user", content: "Fix the login test." }, ...steps.flat()];
}

function askingChat(messages: readonly object[], fields: object = { tools: CHAT_TOOLS }): AgentRequest {
  const body = { model: "qwen3-coder-plus", messages: [{ role: "system", content: "You help." }, ...messages] };
  return {
    api: "openai-chat",
    path: "/v1/chat/completions",
    headers: {},
    body: Buffer.from(JSON.stringify({ ...body, ...fields })),
    upstream: "http://upstream.test",
  };
}

describe("on Chat, as Qwen Code asks", () => {
  const schema = { type: "object", properties: { reasoning: { type: "string" } }, required: ["reasoning"] };
  const form = { type: "function", function: { name: "respond_in_schema", parameters: schema } };
  const question = { role: "user", content: LOOP_QUESTION };

  test.each<[string, object]>([
    ["without tools", {}],
    ["with a tool that it must call, for the form of the answer", { tools: [form], tool_choice: "required" }],
    ["with such a tool, where its provider may not be told that it must", { tools: [form] }],
  ])("a check %s", async (_, fields) => {
    const gateway = gatewayTurns();
    const talk = chatTalk(30);
    await gateway.exchange(askingChat(talk));
    for (const slice of [talk.slice(-20), talk.slice(-19), talk.slice(21, 30)]) {
      await expectNoTrace(gateway, askingChat([...slice, question], fields), 61);
    }
    // and about all of it
    await expectNoTrace(gateway, askingChat([...talk, question], fields), 61);
    await expectNoTrace(gatewayTurns({ store: gateway.store }), askingChat([...talk.slice(-20), question], fields), 61);
  });

  test("who speaks next is asked with the last reply alone, and begins no conversation", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(askingChat(chatTalk(3)));
    const fields = { tools: [form], tool_choice: "required" };
    await expectNoTrace(gateway, askingChat([{ role: "assistant", content: "Done." }, question], fields), 7);
    await expectNoTrace(gateway, askingChat([{ role: "user", content: "A title, please." }], fields), 7);
  });

  test("an agent with one tool, which it must call, has a session", async () => {
    const gateway = gatewayTurns();
    const fields = { tools: CHAT_TOOLS, tool_choice: "required" };
    for (let count = 0; count <= 3; count++) await gateway.exchange(askingChat(chatTalk(count), fields));
    const [id = "", ...others] = await sessionIds(gateway);
    expect(others).toEqual([]);
    expect(await logOf(gateway, id)).toHaveLength(7);
  });
});

describe("a conversation without tools is kept", () => {
  const chat = [
    said("user", "Fix the login test."),
    said("model", "I cannot see it. Please show me the test, and what it prints when it fails."),
    said("user", "It prints that a cookie is missing."),
  ];

  test.each<[string, readonly GeminiContent[]]>([
    ["begins with the same words", chat.slice(0, 1)],
    ["begins with the same words, and the same reply to them", chat.slice(0, 2)],
    ["begins with the same three messages", chat],
  ])("that %s as one with tools", async (_, opening) => {
    const gateway = gatewayTurns();
    await gateway.exchange(askingGemini([...opening, ...geminiTalk("a", 3).slice(1)]));
    const answer = said("model", "Then it is not set.");
    const own = [...chat.slice(0, 2), said("user", "Never mind."), answer, said("user", "Thanks!")];
    for (const count of [3, 5]) await gateway.exchange(askingGemini(own.slice(0, count), { tools: [] }));
    const lengths = await Promise.all((await sessionIds(gateway)).map(async (id) => (await logOf(gateway, id)).length));
    expect(lengths.toSorted((one, other) => one - other)).toEqual([5, opening.length + 6]);
  });

  test("that says something short that was said in one with tools", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(
      askingGemini([...geminiTalk("a", 3), said("model", "Done."), said("user", "Thanks!"), ...step("b", 0, 100)]),
    );
    const own = [said("user", "Tell me a story."), said("model", "Done."), said("user", "Thanks!")];
    await gateway.exchange(askingGemini(own, { tools: [] }));
    expect(await sessionIds(gateway)).toHaveLength(2);
  });
});

describe("whatever was said", () => {
  const words = fc.string({ minLength: 1, maxLength: 60 });
  const exchangeOf = (number: number) =>
    fc.oneof(
      fc.integer({ min: 0, max: 2_000 }).map((length) => step("a", number, length)),
      fc.tuple(words, words).map(([one, other]) => [said("model", `${number} ${one}`), said("user", other)]),
    );
  const talks = fc
    .tuple(words, fc.integer({ min: 2, max: 12 }))
    .chain(([opening, count]) =>
      fc
        .tuple(...Array.from({ length: count }, (_, number) => exchangeOf(number)))
        .map((exchanges) => [said("user", opening), ...exchanges.flat(), ...step("a", count, 50)]),
    );
  const isToolTurn = ({ parts }: GeminiContent) => parts.some((part) => !("text" in part));

  test("a slice with a call or a result is a side call; what begins alike and goes on in words is not", async () => {
    await fc.assert(
      fc.asyncProperty(talks, fc.nat(), fc.nat(), fc.boolean(), async (talk, from, length, isRestarted) => {
        const first = gatewayTurns();
        await first.exchange(askingGemini(talk));
        const gateway = isRestarted ? gatewayTurns({ store: first.store }) : first;
        const start = 1 + (from % (talk.length - 1));
        const slice = talk.slice(start, start + 1 + (length % 20));
        if (slice.some(isToolTurn)) await expectNoTrace(gateway, loopCheck(slice), talk.length);
        const shared = talk.slice(0, talk.findIndex(isToolTurn));
        const own = [...shared, said("model", "Let us talk of something else, shall we?"), said("user", "Yes.")];
        await gateway.exchange(askingGemini(own, { tools: [] }));
        const lengths = await Promise.all(
          (await sessionIds(gateway)).map(async (id) => (await logOf(gateway, id)).length),
        );
        expect(lengths).toContain(own.length);
        expect(lengths).toContain(talk.length);
      }),
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 40) },
    );
  });
});
