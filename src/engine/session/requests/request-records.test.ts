/** One record for each request: what is in it, and when it is written. */
import { expect, test } from "vitest";
import { assistant, call, result, text, user } from "../../../../test/support/messages.ts";
import { prose, SMALL, talkOf } from "../../../../test/support/sessions.ts";
import { describeSessions, describeStores, sqlitePlace } from "../../../../test/support/stores.ts";
import { createEngine, type EngineOptions, type Message, type Session, type SessionEvent } from "../../../index.ts";

type RequestEvent = Extract<SessionEvent, { readonly type: "request" }>;

const PRICED = { model: "claude-sonnet-4-5" } as const;

async function requestsOf(session: Session): Promise<readonly RequestEvent[]> {
  return (await session.events()).filter((event) => event.type === "request");
}

function open(options: Partial<EngineOptions> = {}, messages?: readonly Message[]): Promise<Session> {
  const engine = createEngine({ ...PRICED, now: () => 1_000, ...options });
  return engine.session("task", messages === undefined ? {} : { messages });
}

test("a request is recorded with its usage, its cost and its sizes", async () => {
  const session = await open({}, [user(prose(400, "ask"))]);
  session.usePrompt({ systemPrompt: prose(100, "system"), tools: [{ name: prose(50, "tool") }] });
  const { report } = await session.prepare();
  session.observe({ inputTokens: 1_000, cacheReadTokens: 500, cacheWriteTokens: 200, outputTokens: 10 });
  const [request] = await requestsOf(session);
  expect(request).toMatchObject({
    at: 1_000,
    modelId: "claude-sonnet-4-5",
    contextWindow: 200_000,
    allowedTokens: Math.floor(report.allowedTokens),
    version: 1,
    promptTokens: report.promptTokens,
    hiddenTokens: 0,
    foldIds: [],
    decision: { policy: "rent", reason: "waits" },
    condenseUsd: 0,
    usage: { inputTokens: 1_000, cacheReadTokens: 500, cacheWriteTokens: 200, outputTokens: 10 },
  });
  expect(request?.costUsd).toBeCloseTo((1_000 * 3 + 500 * 0.3 + 200 * 3.75 + 10 * 15) / 1e6, 12);
  const { system = 0, tools = 0, user: said = 0 } = request?.tokens ?? {};
  expect(system + tools).toBeCloseTo(request?.overheadTokens ?? 0, -1);
  expect(said).toBe((request?.promptTokens ?? 0) - (request?.overheadTokens ?? 0));
  expect(request?.arrivedTokens).toBe(said);
});

test("two views of the very same log are one request", async () => {
  const session = await open({}, [user("Why?")]);
  await session.prepare();
  await session.prepare();
  session.observe({ inputTokens: 10 });
  expect(await requestsOf(session)).toHaveLength(1);
});

test("a reply that is asked for again is paid again, and brings nothing new", async () => {
  const session = await open({}, [user(prose(400, "ask"))]);
  await session.prepare();
  session.observe({ inputTokens: 500 });
  await session.prepare();
  session.observe({ inputTokens: 500 });
  const requests = await requestsOf(session);
  expect(requests.map(({ usage }) => usage?.inputTokens)).toEqual([500, 500]);
  expect(requests[1]?.arrivedTokens).toBe(0);
});

test("a message that is appended while a long request is counted is no part of the request's view", async () => {
  const messages = Array.from({ length: 2_001 }, (_, at) =>
    at % 2 === 0 ? user(`Ask ${at}.`) : assistant(`Say ${at}.`),
  );
  let appended: Promise<void> | undefined;
  const pause = () => {
    appended ??= session.append(assistant(prose(3_000, "reply")));
    return appended;
  };
  const session = await open({ pause }, messages);
  const usage = { inputTokens: 12_000, outputTokens: 10 };
  const outcome = await session.recordRequest({
    ...{ usage, messageCount: messages.length, promptTokens: 12_000 },
    calibration: { usage },
  });
  expect(appended).toBeDefined();
  expect(outcome).toBeUndefined();
  const [request] = await requestsOf(session);
  expect(request?.promptTokens).toBe(12_000);
});

test("a request without a report is recorded when the next one is prepared", async () => {
  const session = await open({}, [user("Why?")]);
  await session.prepare();
  await session.append(assistant("Because."), user("And then?"));
  expect(await requestsOf(session)).toHaveLength(0);
  await session.prepare();
  const [request, ...others] = await requestsOf(session);
  expect(others).toEqual([]);
  expect(request).not.toHaveProperty("usage");
  expect(request?.version).toBe(1);
});

test("a report that comes after the reply was appended belongs to the request before it", async () => {
  const session = await open({}, [user("Why?")]);
  await session.prepare();
  await session.append(assistant(prose(300, "reply")));
  session.observe({ inputTokens: 10 });
  await session.append(user("And then?"));
  await session.prepare();
  session.observe({ inputTokens: 320 });
  const [first, second] = await requestsOf(session);
  expect(first?.arrivedTokens).toBeLessThan(20);
  expect(second?.arrivedTokens).toBeGreaterThan(290);
});

test("a refused request is not paid, and what was folded for it was folded for the next", async () => {
  const session = await open({}, [user(prose(9_000, "ask"))]);
  await session.prepare();
  session.observeError(new Error("prompt is too long: 9001 tokens > 8000 maximum"));
  const { report } = await session.prepare();
  session.observe({ inputTokens: 7_000 });
  await session.append(assistant("Because."));
  await session.prepare();
  const requests = await requestsOf(session);
  expect(report.foldIds.length).toBeGreaterThan(0);
  expect(requests.map(({ foldIds }) => foldIds)).toEqual([report.foldIds]);
});

test("a report that cannot be read is no usage", async () => {
  const session = await open({}, [user("Why?")]);
  await session.prepare();
  session.observe({ inputTokens: Number.NaN });
  const [request] = await requestsOf(session);
  expect(request).not.toHaveProperty("usage");
  expect(request).not.toHaveProperty("costUsd");
});

test("what the view shows and what it hides is all that was said", async () => {
  const session = await open({ ...SMALL }, talkOf(30, 300));
  const { report } = await session.prepare();
  expect(report.foldIds.length).toBeGreaterThan(0);
  session.observe({ inputTokens: report.promptTokens });
  await session.append(assistant(prose(200, "reply")), user(prose(100, "ask")));
  await session.prepare();
  session.observe({ inputTokens: report.promptTokens });
  const [first, second] = await requestsOf(session);
  const said = (request: RequestEvent | undefined) =>
    (request?.promptTokens ?? 0) - (request?.overheadTokens ?? 0) + (request?.hiddenTokens ?? 0);
  expect(first?.foldIds).toEqual(report.foldIds);
  expect(first?.decision.reason).toBe("limit");
  expect(said(first)).toBeGreaterThan(30 * 300);
  expect(said(first)).toBeLessThan(30 * 310);
  expect(said(second) - said(first)).toBeGreaterThan(295);
  expect(said(second) - said(first)).toBeLessThan(340);
  expect(second?.tokens.standIns).toBeGreaterThan(0);
});

test("a request that folded tells how many of the critical facts behind its folds are still visible", async () => {
  const files = ["src/jobs/rotate-key.ts", "src/ledger/parse-header.ts", "src/refunds/window.ts"];
  const messages = [
    user(prose(100, "ask")),
    ...files.flatMap((file) => [assistant(prose(600, "look")), user(`Look at ${file}. ${prose(600, "go on")}`)]),
    ...talkOf(25, 300).slice(1),
  ];
  const session = await open({ ...SMALL, configuration: { strategies: { primary: "truncation" } } }, messages);
  const { messages: view, report } = await session.prepare();
  session.observe({ inputTokens: report.promptTokens });
  await session.append(assistant("Done."), user("Thanks."));
  await session.prepare();
  session.observe({ inputTokens: report.promptTokens });
  const [first, second] = await requestsOf(session);
  const { facts = 0, visible = 0 } = first?.criticalFacts ?? {};
  expect(report.foldIds.length).toBeGreaterThan(0);
  expect(JSON.stringify(view)).not.toContain("parse-header.ts");
  expect(facts).toBeGreaterThan(0);
  expect(visible).toBeLessThan(facts);
  expect(second).not.toHaveProperty("criticalFacts");
});

test("categories tell results, reasoning, images and stand-ins apart", async () => {
  const session = await open({}, [
    user(text(prose(40, "ask")), { type: "image", source: { type: "url", url: "https://a.b/c.png" } }),
    assistant({ type: "reasoning", text: prose(70, "think") }, call("t1")),
    user(result("t1", prose(90, "file"))),
  ]);
  await session.prepare();
  session.observe({ inputTokens: 600 });
  const [request] = await requestsOf(session);
  const tokens = request?.tokens ?? {};
  expect(tokens.images).toBe(Math.round(300 * (request?.tokenRatio ?? 0)));
  expect(tokens.reasoning).toBeGreaterThan(65);
  expect(tokens.toolResults).toBeGreaterThan(85);
  expect(tokens.user).toBeGreaterThan(35);
  expect(tokens.assistant).toBeGreaterThan(5);
  expect(tokens).not.toHaveProperty("standIns");
});

await describeSessions("requests", (makePlace) => {
  test("rewound requests stay, a branch has none of them", async () => {
    const session = await open({ store: makePlace().open() }, [user("Why?")]);
    await session.prepare();
    session.observe({ inputTokens: 10 });
    await session.append({ ...assistant("Because."), id: "reply" });
    await session.rewind({ toMessage: "reply", includeMessage: false });
    const branch = await session.branch("other");
    expect(await requestsOf(session)).toHaveLength(1);
    expect(await requestsOf(branch)).toEqual([]);
  });

  test("an export and its import have the same requests", async () => {
    const store = makePlace().open();
    const engine = createEngine({ ...PRICED, ...(store && { store }) });
    const session = await engine.session("task", { messages: [user("Why?")] });
    await session.prepare();
    session.observe({ inputTokens: 10 });
    await session.append(assistant("Because."));
    const imported = await engine.importSession(await session.export(), { id: "copy" });
    expect(await requestsOf(imported)).toEqual(await requestsOf(session));
  });
});

await describeStores("stored requests", (makePlace) => {
  test("are written with the messages that come next, intact, and read again", async () => {
    const place = makePlace();
    const session = await open({ store: place.open() }, [user("Why?")]);
    await session.prepare();
    session.observe({ inputTokens: 10 });
    await session.append(assistant("Because."));
    expect(await session.version()).toBe(3);
    const again = await createEngine({ ...PRICED, store: place.open() }).session("task");
    expect(await requestsOf(again)).toEqual(await requestsOf(session));
    expect(await again.verify()).toMatchObject({ type: "intact", records: 3 });
  });

  test("of a folded session go on from what was known before it was opened again", async () => {
    const place = makePlace();
    const first = await open({ ...SMALL, store: place.open() }, talkOf(30, 300));
    await first.prepare();
    first.observe({ inputTokens: 6_000 });
    await first.append(assistant(prose(100, "reply")));
    const second = await createEngine({ ...SMALL, store: place.open() }).session("task");
    await second.append(user(prose(100, "ask")));
    await second.prepare();
    await second.recordRequest({ usage: { inputTokens: 6_300 } });
    const [before, after] = await requestsOf(second);
    const grown = (after?.hiddenTokens ?? 0) - (before?.hiddenTokens ?? 0);
    expect(after?.arrivedTokens).toBeGreaterThan(195);
    expect(Math.abs(grown)).toBeLessThan(20);
  });

  test("count what is read again where the session was opened just before, and is folded for the same request", async () => {
    const place = makePlace();
    const read = (id: string) => [
      assistant(call(id, "Read", { file_path: "/x/a.ts" })),
      user(result(id, prose(900, `${id} `))),
    ];
    const engineNow = () => createEngine({ ...PRICED, store: place.open() });
    const first = await engineNow().session("task");
    await first.append(user("Look around."), ...read("a"), assistant("Seen."), user("Go on."));
    await first.prepare();
    await first.recordRequest();
    await first.condense();
    await first.append(assistant(prose(900, "thinking")), user("Go on."));
    await first.prepare();
    await first.recordRequest();
    first.close();
    const again = await engineNow().session("task");
    await again.append(...read("b"));
    await again.condense();
    await again.prepare();
    await again.recordRequest();
    expect((await requestsOf(again)).map(({ rereadTokens = 0 }) => rereadTokens > 0)).toEqual([false, false, true]);
  });

  test("count what is read a second time once, also where the session was opened in between", async () => {
    const place = makePlace();
    const read = (id: string, path: string) => [
      assistant(call(id, "Read", { file_path: path })),
      user(result(id, prose(900, path))),
    ];
    const opened = (session: Session | undefined) => {
      session?.close();
      return createEngine({ ...PRICED, store: place.open() }).session("task");
    };
    let session = await opened(undefined);
    await session.append(
      user("Look around."),
      ...read("a", "/x/a.ts"),
      ...read("b", "/x/b.ts"),
      ...read("c", "/x/c.ts"),
    );
    await session.prepare();
    await session.recordRequest();
    await session.condense();
    for (const id of ["d", "e"]) {
      session = await opened(session);
      await session.append(...read(id, "/x/a.ts"));
      await session.prepare();
      await session.recordRequest();
    }
    const rereads = (await requestsOf(session)).map(({ rereadTokens = 0 }) => rereadTokens > 0);
    expect(rereads).toEqual([false, true, false]);
  });
});

test("a request that nothing follows is written by itself", async () => {
  const place = sqlitePlace();
  const session = await open({ store: place.open() }, [user("Why?")]);
  await session.prepare();
  session.observe({ inputTokens: 10 });
  const other = await createEngine({ ...PRICED, store: place.open() }).session("task");
  await expect.poll(async () => (await requestsOf(other)).length, { timeout: 300_000 }).toBe(1);
});
