/** What a request may ask of the gateway, and what its reply says. */
import { describe, expect, test } from "vitest";
import { listSessions, readLog, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 14_000;
const SMALL = { server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } };

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test("x-palimpsest-bypass: 1 sends all as it is, even what is too long, and logs nothing", async () => {
    const world = await startWorld(SMALL);
    const client = open({ url: world.url, headers: { "x-palimpsest-bypass": "1" } });
    client.say("Read all files.");
    await expect(work(client, { name: "bypassed", turns: 20, isStreaming: () => false })).rejects.toThrow(
      /too long|context length|context window|exceeds the maximum/,
    );
    expect(world.server.requests.at(-1)).toMatchObject({ outcome: "refused" });
    expect(world.server.requests.map(({ rawBody }) => rawBody)).toEqual(world.sent.map(({ body }) => body));
    expect(world.server.requests.flatMap(({ headers }) => ownHeaders(headers))).toEqual([]);
    expect(world.sent.flatMap(({ replyHeaders }) => ownHeaders(replyHeaders))).toEqual([]);
    expect(await listSessions(world.gateway.url)).toEqual([]);
    expect(world.turns).toEqual([]);
  });

  test("x-palimpsest-budget keeps prompts below it, whatever the window is", async () => {
    const world = await startWorld();
    const client = open({ url: world.url, headers: { "x-palimpsest-budget": "9000" } });
    client.say("Read all files.");
    await work(client, { name: "frugal", turns: 20 });
    const sizes = world.server.requests.map(({ promptTokens }) => promptTokens);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(9_000);
    expect(Math.max(...sizes)).toBeGreaterThan(4_500);
    expect(world.server.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(world.server.requests.flatMap(({ headers }) => ownHeaders(headers))).toEqual([]);
  });

  test("replies say in which session they are, what came, what was sent and with how many folds", async () => {
    const world = await startWorld(SMALL);
    const client = open({ url: world.url, headers: { "x-palimpsest-session": "my session" } });
    client.say("Read all files.");
    await work(client, { name: "told", turns: 20 });
    expect(sessionIds(world)).toEqual(["my session"]);
    expect(await listSessions(world.gateway.url)).toEqual(["my session"]);
    const { headers } = await client.ask(true);
    expect(headers.get("x-palimpsest-session")).toBe("my session");
    const [tokensIn, tokensSent, folds] = ["tokens-in", "tokens-sent", "folds"].map((name) =>
      Number(headers.get(`x-palimpsest-${name}`)),
    );
    expect(tokensIn).toBeGreaterThan(20_000);
    expect(tokensSent).toBeLessThan(WINDOW);
    expect(folds).toBeGreaterThan(0);
    const actual = world.server.requests.at(-1)?.promptTokens ?? 0;
    expect(Math.abs((tokensSent ?? 0) - actual)).toBeLessThan(actual * 0.05);
    expect(await readLog(world.gateway.url, "my session")).toHaveLength(41);
  });
});

function ownHeaders(headers: object): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith("x-palimpsest-"));
}
