import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import { createActivityFeed } from "../activity.ts";
import { apiRoutes } from "./api-routes.ts";
import { buildApp } from "./build-app.ts";
import { createEventStreams } from "./events/event-streams.ts";
import { countMetrics } from "./metrics/gateway-metrics.ts";
import { pathParameters } from "./route.ts";
import { createApiSessions } from "./sessions.ts";

let running: ApiUnderTest;
// biome-ignore lint/suspicious/noExplicitAny: a document that is looked at in every way
let document: any;
beforeAll(async () => {
  running = await startApi();
  document = (await running.get("/openapi.json")).body;
});
afterAll(() => running.close());

test("describes exactly the routes that are registered", () => {
  const { engine, store, stats } = running;
  const feed = createActivityFeed();
  const streams = createEventStreams(feed, { startedAt: 0 });
  const routes = apiRoutes({
    engine,
    store,
    stats,
    streams,
    sessions: createApiSessions({ engine, store, feed, now: Date.now }),
    metrics: countMetrics(feed, { uptimeMs: () => 0 }),
    version: "1",
    uptimeMs: () => 0,
  });
  const app = buildApp(routes, () => {});
  const registered = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  const described = operations().map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
  );
  expect(described.toSorted()).toEqual(registered.toSorted());
  expect(described.length).toBeGreaterThan(20);
  streams.close();
});

test("names every parameter of a path, and every operation once", () => {
  for (const { path, operation } of operations()) {
    const named = (operation.parameters ?? []).filter((each: { in: string }) => each.in === "path");
    expect(named.map(({ name }: { name: string }) => name)).toEqual(pathParameters(path));
  }
  const operationIds = operations().map(({ operation }) => operation.operationId);
  expect(new Set(operationIds).size).toBe(operationIds.length);
  for (const operationId of operationIds) expect(operationId).toMatch(/^[a-z]\w+$/);
});

test("says of a body whether it must be sent: where one of its fields must be", () => {
  const withBody = operations().filter(({ operation }) => operation.requestBody !== undefined);
  const isNeeded = withBody.map(({ operation }) => [operation.operationId, operation.requestBody.required]);
  expect(Object.fromEntries(isNeeded)).toMatchObject({
    restoreFold: true,
    // One of several forms.
    rewindSession: true,
    deleteSession: false,
    condenseSession: false,
  });
});

test("says of a reply what it is sent as", () => {
  for (const { method, path, operation } of operations()) {
    const [described = ""] = Object.keys(operation.responses[200]?.content ?? {});
    expect(described, `${method} ${path}`).toMatch(/^(application\/json|text\/plain|text\/event-stream)$/);
  }
});

test("has schemas that hold together", () => {
  const ajv = new Ajv2020({ strict: true });
  const local = (schema: unknown) => JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "schema:"));
  const names = Object.keys(document.components.schemas);
  for (const name of names) ajv.addSchema(local(document.components.schemas[name]), `schema:${name}`);
  for (const name of names) expect(ajv.getSchema(`schema:${name}`)).toBeTypeOf("function");
  for (const { operation } of operations()) {
    const described = [operation.requestBody, ...Object.values<Contents>(operation.responses)];
    const bodies = described.flatMap((each?: Contents) => Object.values(each?.content ?? {}));
    for (const { schema } of bodies) expect(ajv.compile(local(schema))).toBeTypeOf("function");
    for (const { schema } of operation.parameters ?? []) expect(ajv.compile(local(schema))).toBeTypeOf("function");
  }
  const used = new Set(
    [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name),
  );
  expect(names.filter((name) => !used.has(name))).toEqual(["Activity"]);
});

test("what a body may be is what is accepted", async () => {
  const ajv = new Ajv2020({ strict: true });
  const { schema } =
    document.paths["/palimpsest/api/sessions/{id}/rewind"].post.requestBody.content["application/json"];
  const isBody = ajv.compile(schema);
  await (await running.engine.session("a")).append({ role: "user", content: "x", id: "m0" });
  const bodies = [
    { toVersion: 0 },
    { toVersion: -1 },
    { toVersion: "0" },
    { toMessage: "m0" },
    { toMessage: "m0", includeMessage: null },
    { toMessage: "" },
    { undo: true },
    { undo: 1 },
    { toMessage: "m0", undo: true },
    { toCheckpoint: "c" },
    { toVersion: 0, files: false },
    { toVersion: 0, dryRun: true },
    { toMessage: "m0", files: "yes" },
    { undo: true, dryRun: 1 },
    { undo: true, files: true },
    { files: true },
    {},
    null,
    "x",
  ];
  for (const body of bodies) {
    const { status } = await running.send("POST", "/sessions/a/rewind", JSON.stringify(body));
    expect([body, status !== 400]).toEqual([body, isBody(body)]);
  }
});

interface Contents {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

interface Described {
  readonly path: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: a document that is looked at in every way
  readonly operation: any;
}

function operations(): readonly Described[] {
  return Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
