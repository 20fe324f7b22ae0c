import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assistant, call, text, user } from "../../../test/support/messages.ts";
import type { Block, BlockFold, Message } from "../../core/message/message.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { anthropicAdapter } from "./index.ts";

/** As an agent might send it: white space, escapes, order of keys and numbers that no serialiser of ours would write. */
const HEAD = '{ "model":"claude-haiku-4-5","max_tokens":3.2e4 ,\n "metadata":{"user_id":"\\u0061"},  "messages" : [\n';
const ITEMS = [
  '{"content":"Fix \\u0069t","role":"user"}',
  '{"role":"system","content":"Plan mode.", "output_config":{"effort":"high"}}',
  '{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"c2ln"}, {"type":"tool_use","id":"t1","name":"Read","input":{"big":1.0,"path":"a"}}]}',
  '{"role":"user","content":[ {"type":"tool_result","tool_use_id":"t1","is_error":false,"content":"first \\u00e9","cache_control":{"type":"ephemeral"}} ,{"type":"text","text":"and?"}]}',
  '{"role":"system","content":[{"type":"text","text":"Auto mode."}]}',
  '{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Read","input":{}}]}',
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"one","citations":null},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"},"cache_control":{"type":"ephemeral"}}]}]}',
] as const;
const TAIL = '\n] ,"tools":[{"name":"Read","input_schema":{"type":"object"}}],"stream" :false}';
const BODY = `${HEAD}${ITEMS.join(" ,\n")}${TAIL}`;

function read(body: string = BODY): WireRequest {
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body });
  if (request === undefined) throw new Error("no conversation");
  return request;
}

const original = (index: number): WirePart => ({ type: "original", index });
const standIn = (message: Message): WirePart => ({ type: "stand-in", message });
const fold = (blockIndex: number, block: Block): BlockFold => ({
  foldId: "f",
  kind: "clip",
  blockIndex,
  standIn: block,
  hiddenTokens: 1,
});
const folded = (index: number, ...folds: readonly BlockFold[]): WirePart => ({ type: "folded", index, folds });
const marker = standIn({ ...user("[3 hidden]"), isTruncationMarker: true, truncationId: "x" });
const MARKER = '{"role":"user","content":"[3 hidden]"}';

/** The items of a written body, as they stand there. */
function written(parts: readonly WirePart[], body = BODY): string {
  const result = anthropicAdapter.writeRequest(read(body), parts);
  expect(result.startsWith(HEAD)).toBe(true);
  expect(result.endsWith(TAIL)).toBe(true);
  return result.slice(HEAD.length, -TAIL.length);
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

async function expectAccepted(body: string): Promise<void> {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "anthropic-beta": "x" };
  const response = await fetch(`${server.url}/v1/messages?beta=true`, { method: "POST", headers, body });
  expect(await response.json()).not.toHaveProperty("error");
}

describe("a request that is sent on", () => {
  test("is the same bytes where nothing is folded", async () => {
    expect(anthropicAdapter.writeRequest(read(), [0, 1, 2, 3, 4].map(original))).toBe(BODY);
    await expectAccepted(BODY);
  });

  test("keeps all bytes of messages that stay, what stood between them, and all around", () => {
    expect(written([original(0), original(1), original(2)])).toBe(ITEMS.slice(0, 5).join(" ,\n"));
  });

  test("counts what will be sent: a request for a count is written in the same way", () => {
    const request = anthropicAdapter.readRequest({ path: "/v1/messages/count_tokens", body: BODY });
    if (request === undefined) throw new Error("no conversation");
    const stub = fold(0, { type: "tool_result", tool_use_id: "t2", content: "stub" });
    const parts = [original(0), marker, original(3), folded(4, stub)];
    expect(anthropicAdapter.writeRequest(request, parts)).toBe(anthropicAdapter.writeRequest(read(), parts));
  });

  test("is the same bytes also where all of it is put together anew", () => {
    expect(anthropicAdapter.writeRequest(read(), [folded(0), ...[1, 2, 3, 4].map(original)])).toBe(BODY);
  });

  test("is written the same from a copy of what was read", () => {
    const parts = [
      original(0),
      original(3),
      folded(4, fold(0, { type: "tool_result", tool_use_id: "t2", content: "x" })),
    ];
    const request = read();
    expect(anthropicAdapter.writeRequest({ ...request }, parts)).toBe(anthropicAdapter.writeRequest(request, parts));
  });

  test("keeps what stands before the first turn", () => {
    const first = '{"role":"system","content":"S"}';
    const body = BODY.replace(ITEMS[0], `${first},${ITEMS[0]}`);
    expect(written([standIn(user("SUMMARY")), original(3), original(4)], body)).toBe(
      [first, '{"role":"user","content":"SUMMARY"}', `${ITEMS[5]} ,\n${ITEMS[6]}`].join(","),
    );
  });

  test("names a message that the request does not have", () => {
    expect(() => anthropicAdapter.writeRequest(read(), [original(9)])).toThrow(
      /index is 9; .* one of the request.s 5 messages/,
    );
  });
});

describe("folded blocks", () => {
  test("only what a stand-in replaces is written anew", async () => {
    const stub = { type: "tool_result", tool_use_id: "t1", is_error: false, content: 'stub "é"' } as const;
    const parts = [original(0), original(1), folded(2, fold(0, stub)), original(3), original(4)];
    expect(written(parts)).toBe(ITEMS.join(" ,\n").replace('"first \\u00e9"', '"stub \\"é\\""'));
    await expectAccepted(anthropicAdapter.writeRequest(read(), parts));
  });

  test("a result shown item for item keeps the items that are whole", () => {
    const shown = [
      { type: "text", text: "o…", citations: null },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ];
    const parts = [0, 1, 2, 3].map(original);
    const last = folded(4, fold(0, { type: "tool_result", tool_use_id: "t2", content: shown }));
    expect(written([...parts, last])).toBe(ITEMS.join(" ,\n").replace('"one"', '"o…"'));
  });

  test("a block replaced by one of another type keeps the mark that this request has on it", () => {
    const shown = [text("one"), text("[image hidden]")];
    const items = shown.map((block, index) => (index === 0 ? { ...block, citations: null } : block));
    const last = folded(4, fold(0, { type: "tool_result", tool_use_id: "t2", content: items }));
    expect(written([original(0), original(1), original(2), original(3), last])).toContain(
      '"citations":null},{"type":"text","text":"[image hidden]","cache_control":{"type":"ephemeral"}}]',
    );
  });

  test("a mark that a stand-in remembers from an older request is not sent again", () => {
    const old = {
      type: "tool_result",
      tool_use_id: "t2",
      content: "stub",
      cache_control: { type: "ephemeral" },
    } as const;
    const result = written([original(0), original(1), original(2), original(3), folded(4, fold(0, old))]);
    expect(result).toContain('{"type":"tool_result","tool_use_id":"t2","content":"stub"}');
    expect(result.match(/cache_control/g)).toHaveLength(1);
  });

  test("text stays a string or a block, as this request has it", () => {
    const clipped = fold(0, text("F…t"));
    expect(written([folded(0, clipped), ...[1, 2, 3, 4].map(original)])).toBe(
      ITEMS.join(" ,\n").replace('"Fix \\u0069t"', '"F…t"'),
    );
    const asBlock = '[{"type":"text","text":"Fix it","cache_control":{"type":"ephemeral"}}]';
    const body = BODY.replace('"Fix \\u0069t"', asBlock);
    expect(written([folded(0, clipped), ...[1, 2, 3, 4].map(original)], body)).toContain(
      asBlock.replace("Fix it", "F…t"),
    );
  });

  test("system messages that belong to a message can be shortened too", () => {
    const parts = [
      folded(0, fold(1, { ...text("P…"), ...{ role: "system" } })),
      original(1),
      folded(2, fold(2, text("A…"))),
      original(3),
      original(4),
    ];
    expect(written(parts)).toBe(ITEMS.join(" ,\n").replace("Plan mode.", "P…").replace("Auto mode.", "A…"));
  });

  test("arguments are replaced, their call and its neighbours are not", () => {
    const shown = { ...call("t1", "Read"), input: { path: "…" } };
    expect(written([original(0), folded(1, fold(1, shown)), ...[2, 3, 4].map(original)])).toBe(
      ITEMS.join(" ,\n").replace('{"big":1.0,"path":"a"}', '{"path":"…"}'),
    );
  });
});

describe("stand-ins", () => {
  test("a summary says its text and the calls that it carries; reasoning only where it is signed", async () => {
    const summary = assistant(
      { type: "reasoning", text: "ours, unsigned" },
      { type: "reasoning", text: "", signature: "c2ln" },
      { type: "reasoning", text: "", redactedData: "ZGF0YQ==" },
      "SUMMARY",
      { ...call("t2", "Read", {}), cache_control: { type: "ephemeral" } },
    );
    const parts = [original(0), standIn(summary), original(4)];
    expect(written(parts)).toBe(
      `${ITEMS[0]} ,\n${ITEMS[1]},${JSON.stringify({
        role: "assistant",
        content: [
          { type: "thinking", signature: "c2ln", thinking: "" },
          { type: "redacted_thinking", data: "ZGF0YQ==" },
          { type: "text", text: "SUMMARY" },
          { type: "tool_use", id: "t2", name: "Read", input: {} },
        ],
      })},${ITEMS[6]}`,
    );
    await expectAccepted(anthropicAdapter.writeRequest(read(), parts));
  });

  test("one that has nothing to say on this wire is left out", () => {
    const silent = standIn(assistant({ type: "reasoning", text: "unsigned" }));
    expect(written([original(0), silent, original(3), original(4)])).toBe(
      written([original(0), original(3), original(4)]),
    );
  });

  test("the user speaks first", async () => {
    const parts = [standIn(assistant("SUMMARY")), original(3), original(4)];
    expect(JSON.parse(`[${written(parts)}]`)[0]).toMatchObject({ role: "user" });
    await expectAccepted(anthropicAdapter.writeRequest(read(), parts));
  });

  test("after a system message the assistant speaks before a user's stand-in", async () => {
    const parts = [original(0), marker, original(3), original(4)];
    const roles = JSON.parse(`[${written(parts)}]`).map(({ role }: Message) => role);
    expect(roles).toEqual(["user", "system", "assistant", "user", "assistant", "user"]);
    expect(written(parts)).toContain(`,${MARKER},${ITEMS[5]} ,\n${ITEMS[6]}`);
    await expectAccepted(anthropicAdapter.writeRequest(read(), parts));
  });
});

describe("a summary beside system messages", () => {
  const bySide = standIn(assistant("SUMMARY", call("t1", "Read", {})));

  test.each<[string, readonly WirePart[], string]>([
    ["of the assistant, after one", [original(0), standIn(assistant("SUMMARY"))], "user system assistant"],
    ["of the user, after one", [original(0), standIn(user("SUMMARY"))], "user system assistant user"],
    ["before a turn that has one", [original(0), bySide, original(2)], "user system assistant user system"],
    ["in place of the first one", [standIn(user("SUMMARY")), original(1), original(2)], "user assistant user system"],
    [
      "of the assistant in its place",
      [standIn(assistant("SUMMARY")), original(1), original(2)],
      "user assistant assistant user system",
    ],
    [
      "between two of them",
      [original(0), original(1), original(2), standIn(user("SUMMARY")), original(3), original(4)],
      "user system assistant user system assistant user assistant user",
    ],
  ])("%s is where the provider takes it", async (_, parts, roles) => {
    const items: readonly { readonly role: string }[] = JSON.parse(`[${written(parts)}]`);
    expect(items.map(({ role }) => role).join(" ")).toBe(roles);
    await expectAccepted(anthropicAdapter.writeRequest(read(), parts));
  });
});

describe("with a thinking budget", () => {
  const THINKING = '{"type":"thinking","thinking":"","signature":"c2ln"}';
  const withBudget = (body: string) =>
    body.replace('"model"', '"thinking":{"type":"enabled","budget_tokens":1024},"model"');
  const write = (parts: readonly WirePart[]) => anthropicAdapter.writeRequest(read(withBudget(BODY)), parts);

  test("a tool loop whose beginning is hidden starts with its newest hidden thinking", async () => {
    const body = write([original(0), marker, original(3), original(4)]);
    expect(body).toContain(`${MARKER},${ITEMS[5].replace('"content":[', `"content":[${THINKING},`)} ,\n${ITEMS[6]}`);
    await expectAccepted(body);
  });

  test("so does a summary that begins a loop", async () => {
    const body = write([original(0), standIn(assistant("SUMMARY", call("t2", "Read", {}))), original(4)]);
    expect(body).toContain(`{"role":"assistant","content":[${THINKING},{"type":"text","text":"SUMMARY"}`);
    await expectAccepted(body);
    const plain = write([original(0), standIn(assistant("SUMMARY")), original(3), original(4)]);
    expect(plain).toContain(`{"role":"assistant","content":[${THINKING},{"type":"text","text":"SUMMARY"}]}`);
    await expectAccepted(plain);
  });

  test("what starts with thinking, or goes on with a loop, stays the same bytes", () => {
    const body = write([original(0), original(1), original(2), original(3)]);
    expect(body).toContain(ITEMS.slice(0, 6).join(" ,\n"));
    expect(write([standIn(user("LEDGER")), original(1), original(2)])).toContain(ITEMS.slice(2, 5).join(" ,\n"));
  });

  test("without one, nothing is lent", () => {
    expect(written([original(0), marker, original(3), original(4)])).toContain(`${ITEMS[5]} ,\n${ITEMS[6]}`);
  });
});
