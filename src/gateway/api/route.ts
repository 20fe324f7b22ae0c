import type { ServerResponse } from "node:http";
import { invalid, readBody } from "./read-body.ts";
import { Refusal } from "./refusal.ts";
import type { JsonSchema, ObjectShape, Shape } from "./shape.ts";

/** Documents a reply of a route. */
export interface ReplySpec {
  readonly description: string;
  readonly schema: JsonSchema;
  /** @default "application/json" */
  readonly contentType?: string;
}

/** The documentation of a route in the OpenAPI document. */
export interface RouteSpec {
  /** The path, with parameters as OpenAPI writes them: `/sessions/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly reply: ReplySpec;
  /** Replies of this route's own, by status, besides the one with status 200 and the common errors. @default none */
  readonly otherReplies?: Readonly<Record<string, ReplySpec>>;
}

/** A request to a route. */
export interface Call {
  readonly request: Request;
  /** Returns a parameter of the path, decoded. */
  param(name: string): string;
  /** The response on the connection; undefined if the API was called by `fetch`. */
  readonly outgoing: ServerResponse | undefined;
}

/** A route as the app registers it. `run` checks query and body itself, and rejects with a `Refusal`. */
export interface Route extends RouteSpec {
  readonly method: "get" | "post" | "delete";
  readonly query: ObjectShape<unknown> | undefined;
  readonly body: Shape<unknown> | undefined;
  run(call: Call): Promise<Response>;
}

export interface QueryRoute<Query> extends RouteSpec {
  readonly query: ObjectShape<Query>;
  answer(query: Query, call: Call): Promise<Response> | Response;
}

/** Makes a GET route. `answer` gets the checked query. */
export function queryRoute<Query>({ answer, ...spec }: QueryRoute<Query>): Route {
  const run = async (call: Call) => answer(readQuery(call.request, spec.query), call);
  return { ...spec, method: "get", body: undefined, run };
}

export interface BodyRoute<Body> extends RouteSpec {
  readonly method: "post" | "delete";
  readonly body: Shape<Body>;
  /** @default 1 MiB */
  readonly maxBodyBytes?: number;
  answer(body: Body, call: Call): Promise<Response> | Response;
}

/** Makes a POST or DELETE route. `answer` gets the checked JSON body. */
export function bodyRoute<Body>({ answer, maxBodyBytes, ...spec }: BodyRoute<Body>): Route {
  const run = async (call: Call) => answer(await readBody(call.request, spec.body, maxBodyBytes), call);
  return { ...spec, query: undefined, run };
}

/** Reads and checks a query. Unknown parameters are ignored, because a proxy in front of the gateway may add its own. */
function readQuery<Query>({ url }: Request, shape: ObjectShape<Query>): Query {
  const parameters = new URL(url).searchParams;
  const entries = Object.entries(shape.members).flatMap(([name, member]) => {
    const value = parameters.get(name);
    return value === null ? [] : [[name, member.schema.type === "integer" ? numberIn(value) : value] as const];
  });
  const query: unknown = Object.fromEntries(entries);
  if (shape.accepts(query)) return query;
  throw invalid(shape.problemOf(query, "The query") ?? "The query is not what it must be.");
}

function numberIn(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

export function pathParameters(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

export function notFound(message: string): Refusal {
  return new Refusal(404, { code: "not-found", message });
}
