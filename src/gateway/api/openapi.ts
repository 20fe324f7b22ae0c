import { STATUS_CODES } from "node:http";
import { pathParameters, type ReplySpec, type Route } from "./route.ts";
import { ACTIVITY_SCHEMAS } from "./schemas/activity-schemas.ts";
import { REQUEST_SCHEMAS } from "./schemas/request-schemas.ts";
import { ref } from "./schemas/schema-parts.ts";
import { SESSION_SCHEMAS } from "./schemas/session-schemas.ts";
import { STATEMENT_SCHEMAS } from "./schemas/statement-schemas.ts";
import type { JsonSchema } from "./shape.ts";

/** Returns the OpenAPI 3.1 document of these routes. */
export function describeRoutes(routes: readonly Route[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(route) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Palimpsest gateway",
      version,
      description:
        "Sessions that the gateway keeps: what was said, what is sent, what is hidden, and how to get it back. Ids in addresses are percent-encoded.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: { ...ACTIVITY_SCHEMAS, ...SESSION_SCHEMAS, ...STATEMENT_SCHEMAS, ...REQUEST_SCHEMAS },
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "header",
          name: "x-palimpsest-token",
          description: "Needed where the gateway was started with a token.",
        },
      },
    },
  };
}

function describeRoute(route: Route) {
  const { operationId, summary, description, reply, otherReplies = {}, body } = route;
  const errors = errorStatuses(route).map((status) => [status, errorReply(status)] as const);
  const others = Object.entries(otherReplies).map(([status, other]) => [status, describeReply(other)] as const);
  const parameters = [...pathParameters(route.path).map(pathParameter), ...queryParameters(route)];
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: describeBody(body.schema) }),
    responses: { 200: describeReply(reply), ...Object.fromEntries([...errors, ...others]) },
  };
}

function errorStatuses({ path, query, body }: Route): readonly number[] {
  const hasParameters = pathParameters(path).length > 0;
  const hasInput = hasParameters || body !== undefined || Object.keys(query?.members ?? {}).length > 0;
  return [
    ...(hasInput ? [400] : []),
    ...(hasParameters ? [404] : []),
    ...(body === undefined ? [] : [409, 413, 415]),
    500,
    503,
  ];
}

function pathParameter(name: string) {
  return { name, in: "path", required: true, schema: { type: "string" }, description: PARAMETERS[name] ?? name };
}

const PARAMETERS: Readonly<Record<string, string>> = {
  id: "The id of a session.",
  messageId: "The id of a message.",
  foldId: "The id of a fold.",
  index: "The number of a request, counted from 0.",
  other: "The number of another request.",
};

function queryParameters({ query }: Route) {
  return Object.entries(query?.members ?? {}).map(([name, { schema, isOptional }]) => {
    const { description, ...rest } = schema;
    return { name, in: "query", required: !isOptional, description, schema: rest };
  });
}

function describeBody(schema: JsonSchema) {
  const required = "oneOf" in schema || "required" in schema;
  return { required, content: { "application/json": { schema } } };
}

function describeReply({ description, schema, contentType = "application/json" }: ReplySpec) {
  return { description, content: { [contentType]: { schema } } };
}

function errorReply(status: number) {
  return { description: STATUS_CODES[status] ?? "", content: { "application/json": { schema: ref("Error") } } };
}
