import { restoreMessages } from "../../../core/history/restore.ts";
import { restoreSpan } from "../../../core/history/restore-span.ts";
import { effectiveView } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { ModelRegistry } from "../../../core/models/registry.ts";
import { nextPrompt, type PriceContext, priceView } from "../../../core/requests/next-request.ts";
import { strataOf } from "../../../engine/session/requests/session-strata.ts";
import type { Session } from "../../../engine/session/session.ts";
import { type RequestEvent, requestEntry, requestsIn } from "../request-entry.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields, text } from "../shape.ts";

const PATH = "/palimpsest/api/sessions/{id}";

const MAX_ID_LENGTH = 10_000;

/** How many of the newest requests are averaged to estimate a session's growth and the length of its replies. */
const AVERAGED_REQUESTS = 20;

/** What the next request consists of and costs, as it is and with a fold undone. */
export function nowRoutes(sessions: ApiSessions, registry: ModelRegistry): readonly Route[] {
  return [nowRoute(sessions, registry), priceRoute(sessions, registry), spanPriceRoute(sessions, registry)];
}

function nowRoute(sessions: ApiSessions, registry: ModelRegistry): Route {
  return queryRoute({
    path: `${PATH}/now`,
    operationId: "getNow",
    summary: "The window as it is now, by what it consists of, and what the next request costs",
    query: fields({}),
    reply: { description: "The window.", schema: ref("Now") },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      const requests = requestsIn(await session.events());
      const last = requests.at(-1);
      const { version, view } = await session.snapshot();
      const { promptTokens, bar } = nextPrompt(view, last);
      const growthTokens = meanOf(requests.slice(-AVERAGED_REQUESTS).map(({ arrivedTokens }) => arrivedTokens));
      const context = last && (await priceContext(session, requests, registry));
      const { cachedUsd, coldUsd } = context === undefined ? {} : priceView(view, context);
      const freeTokens = last === undefined ? undefined : Math.max(0, last.allowedTokens - promptTokens);
      return Response.json({
        version,
        modelId: last?.modelId,
        contextWindow: last?.contextWindow,
        allowedTokens: last?.allowedTokens,
        promptTokens,
        bar,
        growthTokens,
        turnsLeft: freeTokens === undefined || growthTokens === 0 ? undefined : Math.floor(freeTokens / growthTokens),
        nextRequest: { cachedUsd, coldUsd },
        last: last && requestEntry(last, requests.length - 1, (await strataOf(session)).shownFoldIds.at(-1)),
      });
    },
  });
}

function priceRoute(sessions: ApiSessions, registry: ModelRegistry): Route {
  return queryRoute({
    path: `${PATH}/folds/{foldId}/price`,
    operationId: "getRestorePrice",
    summary: "What it costs to undo a fold, before it is done",
    query: fields({}),
    reply: { description: "The price.", schema: ref("RestorePrice") },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      const foldId = call.param("foldId");
      const price = await priceOf(session, registry, (log) => restoreMessages(log, foldId));
      return Response.json({ foldId, ...price });
    },
  });
}

const messageId = (description: string) => text({ description, maxLength: MAX_ID_LENGTH });

function spanPriceRoute(sessions: ApiSessions, registry: ModelRegistry): Route {
  return queryRoute({
    path: `${PATH}/price`,
    operationId: "getSpanPrice",
    summary: "What it costs to show a span of messages again, before it is done",
    query: fields({ from: messageId("The id of its first message."), to: messageId("The id of its last message.") }),
    reply: { description: "The price.", schema: ref("RestorePrice") },
    answer: async (span, call) => {
      const { session } = await sessions.open(call.param("id"));
      return Response.json({ ...span, ...(await priceOf(session, registry, (log) => restoreSpan(log, span))) });
    },
  });
}

type Restore = (log: readonly Message[]) => readonly Message[];

/** Computes how many tokens and dollars the next request has more once `restore` has shown hidden messages again. */
async function priceOf(session: Session, registry: ModelRegistry, restore: Restore) {
  const requests = requestsIn(await session.events());
  const last = requests.at(-1);
  const { view, log } = await session.snapshot();
  const restored = effectiveView(restore(log));
  const [before, after] = [nextPrompt(view, last).promptTokens, nextPrompt(restored, last).promptTokens];
  const context = last && (await priceContext(session, requests, registry));
  const [now, then] = context === undefined ? [{}, {}] : [priceView(view, context), priceView(restored, context)];
  return {
    tokens: after - before,
    promptTokens: after,
    allowedTokens: last?.allowedTokens,
    fits: last === undefined ? undefined : after <= last.allowedTokens,
    modelId: last?.modelId,
    extraUsd: { cached: difference(then.cachedUsd, now.cachedUsd), cold: difference(then.coldUsd, now.coldUsd) },
  };
}

function difference(after: number | undefined, before: number | undefined): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}

async function priceContext(
  session: Session,
  requests: readonly RequestEvent[],
  registry: ModelRegistry,
): Promise<PriceContext | undefined> {
  const last = requests.at(-1);
  if (last === undefined) return undefined;
  const outputs = requests.slice(-AVERAGED_REQUESTS).flatMap(({ usage }) => usage?.outputTokens ?? []);
  const lastView = await viewAt(session, last.version);
  return { entry: registry.find(last.modelId), last, lastView, outputTokens: meanOf(outputs) };
}

/** Returns the view at a version. If messages were only appended since, that is the beginning of the present view, which is cheaper to get. */
async function viewAt(session: Session, version: number) {
  const history = await session.history();
  let [at, added] = [history.version(), 0];
  for (; at > version; at--) {
    const { type } = history.record(at) ?? {};
    if (type === "patch" || type === "rewind") return effectiveView(history.logAt(version));
    if (type === "message") added++;
  }
  const { view } = await session.snapshot();
  return view.slice(0, Math.max(0, view.length - added));
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
