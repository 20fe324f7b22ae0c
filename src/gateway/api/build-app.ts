import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { routePath } from "hono/route";
import { nameOfError } from "../name-of-error.ts";
import { INTERNAL, Refusal, refusalOf, replyWith } from "./refusal.ts";
import { notFound, type Route } from "./route.ts";

export const OPENAPI_PATH = "/palimpsest/api/openapi.json";

type Bindings = { Bindings: Partial<HttpBindings> };

/** Called with the route that failed and the name of its error, and never with content of a session. */
export type ReportFailure = (what: string, error: string) => void;

/** Builds the app of these routes. Wrong methods, unknown paths and errors are answered as JSON, too. */
export function buildApp(routes: readonly Route[], reportFailure: ReportFailure): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.use(async (context, next) => {
    await next();
    context.res.headers.set("cache-control", "no-store");
    context.res.headers.set("x-content-type-options", "nosniff");
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (context) => route.run(callOf(context)));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    app.all(honoPath(path), ({ req }) => replyWith(wrongMethod(req.method, methods)));
  }
  app.notFound(() =>
    replyWith(notFound(`There is nothing at this address. GET ${OPENAPI_PATH} describes all that there is.`)),
  );
  app.onError((error, context) => {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return replyWith(refusal);
    reportFailure(`api ${context.req.method} ${routePath(context)}`, nameOfError(error));
    return replyWith(INTERNAL);
  });
  return app;
}

function callOf(context: Context<Bindings>) {
  const { req, env } = context;
  return { request: req.raw, outgoing: env.outgoing, param: (name: string) => req.param(name) ?? "" };
}

/** `/sessions/{id}` → `/sessions/:id` */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function wrongMethod(method: string, allowed: readonly Route["method"][]): Refusal {
  const names = allowed.flatMap((name) => (name === "get" ? ["GET", "HEAD"] : [name.toUpperCase()]));
  const allow = names.join(", ");
  return new Refusal(405, {
    code: "method-not-allowed",
    message: `${method} is not known here; ${allow} ${names.length === 1 ? "is" : "are"}. GET ${OPENAPI_PATH} describes all that there is.`,
    headers: { allow },
  });
}
