/** Agents whose requests declare no tools, though their histories have calls: some servers add the tools themselves. */
import { describe, expect, test } from "vitest";
import type { FixtureWire, Item } from "../../../test/support/gateway-fixture.ts";
import { WIRE_FIXTURES } from "../../../test/support/gateway-fixtures.ts";
import { toolOutput } from "../../../test/support/gateway-script.ts";
import { asking, type GatewayTurns, gatewayTurns, steps, TOOLS } from "../../../test/support/gateway-turns.ts";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { asArray, fieldAt } from "../../core/json/read-json.ts";
import type { AgentRequest } from "../turn.ts";

const WINDOW = 24_000;
const TURNS = 30;

function pathOf({ path }: FixtureWire): string {
  return path.replace(/\?.*/, "");
}

const wires = WIRE_ADAPTERS.map(({ name, operationOf }) => {
  const fixture = WIRE_FIXTURES.find(({ wire }) => operationOf(pathOf(wire)) !== undefined);
  if (fixture === undefined) throw new Error(`There is no fixture for ${name}.`);
  return { name, wire: fixture.wire };
});

type NamedWire = (typeof wires)[number];

function askingWithout({ name, wire }: NamedWire, items: readonly Item[]): AgentRequest {
  const { tools: _, ...fields } = wire.fields;
  const body = Buffer.from(JSON.stringify({ ...fields, [wire.field]: items }));
  return { api: name, path: pathOf(wire), headers: wire.headers, body, upstream: "http://upstream.test" };
}

function talkOf({ question, turn }: FixtureWire, turns: number): readonly Item[] {
  return [question, ...Array.from({ length: turns }, (_, index) => turn(index, toolOutput("bare", index))).flat()];
}

interface SentRequest {
  readonly sessionId: string | undefined;
  readonly items: readonly string[];
  readonly isFolding: boolean;
}

async function send(gateway: GatewayTurns, named: NamedWire, items: readonly Item[]): Promise<SentRequest> {
  const request = askingWithout(named, items);
  const turn = await gateway.exchange(request);
  const sent = parseJson(turn.body ?? request.body.toString());
  const activity = gateway.activities.findLast((each) => each.type === "request");
  return {
    sessionId: turn.headers()["x-palimpsest-session"],
    items: asArray(fieldAt(sent, named.wire.field)).map((item) => JSON.stringify(item)),
    isFolding: activity?.type === "request" && activity.foldIds.length > 0,
  };
}

function beginsWith(items: readonly string[], before: readonly string[]): boolean {
  return before.every((item, index) => items[index] === item);
}

/** Has a request answered, with so many tokens reported for its prompt. */
async function answer(gateway: GatewayTurns, request: AgentRequest, inputTokens: number): Promise<string | undefined> {
  const turn = await gateway.turns.begin(request);
  turn?.follower.push(JSON.stringify({ usage: { input_tokens: inputTokens, output_tokens: 1 } }));
  turn?.end({ status: 200, isComplete: true });
  await gateway.pool.settled();
  return turn?.headers()["x-palimpsest-session"];
}

describe("after a restart", () => {
  const question = { role: "user", content: "And what comes next?" } as const;
  const done = { role: "assistant", content: "All of it is read." } as const;

  test.each([
    { tools: [], isConversation: true },
    { tools: TOOLS, isConversation: false },
  ])("a person's words without tools belong to the session: $isConversation", async ({ tools, isConversation }) => {
    const gateway = gatewayTurns();
    const talk = steps("a", 6);
    expect(await answer(gateway, asking(talk, { tools }), 1_500)).toBeDefined();
    const restarted = gatewayTurns({ store: gateway.store });
    const sessionId = await answer(restarted, asking([...talk, done, question], { tools: [] }), 1_600);
    expect(sessionId !== undefined).toBe(isConversation);
  });
});

describe.each(wires)("$name", (named) => {
  test("is one session, and is sent as the same bytes but where something is folded", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    const sent: SentRequest[] = [];
    for (let turns = 1; turns <= TURNS; turns++) sent.push(await send(gateway, named, talkOf(named.wire, turns)));
    expect(new Set(sent.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(sent[0]?.sessionId).toBeDefined();
    const moved = sent.filter(
      ({ items, isFolding }, index) => !isFolding && !beginsWith(items, sent[index - 1]?.items ?? []),
    );
    expect(moved).toEqual([]);
    expect(sent.filter(({ isFolding }) => isFolding).length).toBeGreaterThan(0);
    expect(sent.filter(({ isFolding }) => isFolding).length).toBeLessThan(TURNS / 3);
    expect(gateway.incidents).toEqual([]);
  });

  test("goes on with a person's words in the same session", async () => {
    const gateway = gatewayTurns({ window: WINDOW });
    for (let turns = 1; turns <= 3; turns++) await send(gateway, named, talkOf(named.wire, turns));
    const { sessionId } = await send(gateway, named, [...talkOf(named.wire, 3), named.wire.question]);
    const [id, ...others] = (await gateway.engine.sessions()).map((session) => session.id);
    expect(others).toEqual([]);
    expect(sessionId).toBe(id);
  });
});
