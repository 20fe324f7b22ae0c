/** What agents' requests cost is in the statements of their sessions: all of it, once, also after a restart. */
import { expect, test } from "vitest";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { toolOutput } from "../support/gateway-script.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { sqlitePlace } from "../support/stores.ts";

const WINDOW = 20_000;

function bodyOf(steps: number): string {
  const messages: unknown[] = [{ role: "user", content: "Read all files." }];
  for (let step = 0; step < steps; step++) {
    const id = `toolu_${step}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: `src/${step}.ts` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: toolOutput("statement", step) }] },
    );
  }
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  return JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 500, tools, messages });
}

const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "key",
  "anthropic-version": "2023-06-01",
  "x-palimpsest-session": "mine",
};

const send = (url: string, steps: number) =>
  fetch(`${url}/v1/messages`, { method: "POST", headers: HEADERS, body: bodyOf(steps) }).then(async (answer) => {
    await answer.text();
    return answer.status;
  });

test("every answered request is in its session's statement, with what it cost", async () => {
  const place = sqlitePlace();
  const reply = (): ScriptedReply => ({ type: "text", text: "Go on." });
  const server = await startServer({ reply, contextWindow: WINDOW });
  const first = await startGatewayBefore(server, { windows: { all: WINDOW }, store: place.open() });
  for (let step = 1; step <= 20; step++) expect(await send(first.gateway.url, step)).toBe(200);
  // The same once more is paid once more.
  expect(await send(first.gateway.url, 20)).toBe(200);
  const answer = await fetch(`${first.gateway.url}/palimpsest/api/sessions/mine/statement`);
  const statement = JSON.parse(await answer.text());
  const paid = first.turns.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  expect(first.incidents).toEqual([]);
  expect(statement).toMatchObject({ requests: 21, unpriced: 0 });
  expect(statement.spentUsd).toBeCloseTo(paid, 9);
  expect(statement.folds.length).toBeGreaterThan(0);
  expect(statement.savedUsd.againstNothing).toBeCloseTo(statement.withoutFoldsUsd - statement.spentUsd, 9);
  const totals = await first.gateway.statements.total();
  expect(totals.spentUsd).toBeCloseTo(paid, 9);
  await first.gateway.close();

  const second = await startGatewayBefore(server, { windows: { all: WINDOW }, store: place.open() });
  const again = await fetch(`${second.gateway.url}/palimpsest/api/sessions/mine/statement`);
  expect(await again.json()).toEqual(statement);
  expect(await send(second.gateway.url, 21)).toBe(200);
  const session = await second.gateway.engine.session("mine");
  expect((await session.statement()).requests).toBe(22);
  expect(await second.gateway.statements.total()).toMatchObject({ requests: 1, unpriced: 0 });
  expect(await session.verify()).toMatchObject({ type: "intact" });
});

test("what the upstream refuses or does not count is not spent", async () => {
  let status = 200;
  const reply = (): ScriptedReply =>
    status === 200 ? { type: "text", text: "Go on." } : { type: "error", status, message: "Overloaded" };
  const server = await startServer({ reply, contextWindow: WINDOW });
  const { gateway } = await startGatewayBefore(server, { windows: { all: WINDOW } });
  await send(gateway.url, 1);
  status = 529;
  expect(await send(gateway.url, 2)).toBe(529);
  const session = await gateway.engine.session("mine");
  expect(await session.statement()).toMatchObject({ requests: 1 });
});
