import type { Engine } from "../../../engine/engine.ts";
import { bodyRoute, type Route } from "../route.ts";
import { BOOLEAN, COUNT, described, NUMBER, record, STRING } from "../schemas/schema-parts.ts";
import { type ApiSessions, noSession } from "../sessions.ts";
import { fields, flag, oneOf, optional, text, textList } from "../shape.ts";

const MAX_ID_LENGTH = 10_000;
const MOST_CLEARED = 10_000;
const SESSION_PATH = "/palimpsest/api/sessions/{id}";

const version = described(COUNT, "Of the session, afterwards.");

const restoreTarget = oneOf(
  fields({ foldId: text({ description: "The id of a fold that holds now.", maxLength: MAX_ID_LENGTH }) }),
  fields({
    from: text({
      description: "The id of the first message to show again; `#3` for one without an id, by its place in the log.",
      maxLength: MAX_ID_LENGTH,
    }),
    to: text({ description: "The id of the last one; tool pairs are shown whole.", maxLength: MAX_ID_LENGTH }),
  }),
);

/** Routes that change a session: restore, pin, clear, condense and delete. `rewindRoute` has a file of its own. */
export function changeRoutes(engine: Engine, sessions: ApiSessions): readonly Route[] {
  return [restore(sessions), pin(sessions), clear(sessions), condense(sessions), remove(engine, sessions)];
}

function restore(sessions: ApiSessions): Route {
  return bodyRoute({
    method: "post",
    path: `${SESSION_PATH}/restore`,
    operationId: "restoreFold",
    summary: "Undo a fold, or show a span of messages again; of a span, the rest of the folds that hid it stays hidden",
    body: restoreTarget,
    reply: {
      description: "It is visible again. What was asked for, and the version.",
      schema: record({ "foldId?": STRING, "from?": STRING, "to?": STRING, version }),
    },
    answer: async (target, call) => {
      const { session } = await sessions.open(call.param("id"));
      const before = await session.version();
      await session.restore("foldId" in target ? target.foldId : target);
      const after = await session.version();
      // Restoring a span in which nothing is hidden changes nothing.
      if (after !== before) sessions.changed(session.id, "restored");
      return Response.json({ ...target, version: after });
    },
  });
}

function pin(sessions: ApiSessions): Route {
  return bodyRoute({
    method: "post",
    path: `${SESSION_PATH}/pin`,
    operationId: "pinMessage",
    summary: "Mark a message as important, so that it stays visible as long as anything else can be hidden instead",
    body: fields({
      messageId: text({ description: "The id of a message of the log.", maxLength: MAX_ID_LENGTH }),
      important: optional(flag({ description: "False takes the mark back.", fallback: true })),
    }),
    reply: { description: "It is marked.", schema: record({ messageId: STRING, important: BOOLEAN, version }) },
    answer: async ({ messageId, important = true }, call) => {
      const { session } = await sessions.open(call.param("id"));
      await session.mark(messageId, { important });
      sessions.changed(session.id, "updated");
      return Response.json({ messageId, important, version: await session.version() });
    },
  });
}

function clear(sessions: ApiSessions): Route {
  return bodyRoute({
    method: "post",
    path: `${SESSION_PATH}/clear`,
    operationId: "clearToolResults",
    summary: "Show the tool results of some messages as one-line stubs, in one fold that can be undone",
    body: fields({
      messageIds: textList({
        description: "The ids of messages of the log.",
        maxLength: MAX_ID_LENGTH,
        mostItems: MOST_CLEARED,
      }),
    }),
    reply: {
      description: "What came of it. Where nothing was hidden, nothing was changed, and `error` says why.",
      schema: record({ "foldId?": STRING, blocks: COUNT, hiddenTokens: COUNT, "error?": STRING, version }),
    },
    answer: async ({ messageIds }, call) => {
      const { session } = await sessions.open(call.param("id"));
      const { foldId, blocks, gainTokens } = await session.clearResults(messageIds);
      if (foldId !== undefined) sessions.changed(session.id, "folded");
      const made = foldId === undefined ? { error: NOTHING_TO_CLEAR } : { foldId };
      return Response.json({ ...made, blocks, hiddenTokens: gainTokens, version: await session.version() });
    },
  });
}

const NOTHING_TO_CLEAR =
  "Nothing was hidden: these messages hold no visible tool result that is larger than its stub, or they are pinned, or they bind the agent.";

function condense(sessions: ApiSessions): Route {
  return bodyRoute({
    method: "post",
    path: `${SESSION_PATH}/condense`,
    operationId: "condenseSession",
    summary: "Condense by hand, at any fill",
    body: fields({}),
    reply: {
      description: "What came of it. Where `isCondensed` is false, nothing was changed, and `error` says why.",
      schema: record({
        isCondensed: BOOLEAN,
        "foldId?": STRING,
        "summary?": STRING,
        costUsd: NUMBER,
        "newContextTokens?": COUNT,
        "error?": STRING,
        version,
      }),
    },
    answer: async (_, call) => {
      const { session } = await sessions.open(call.param("id"));
      const { condenseId, summary, cost, newContextTokens, error } = await session.condense({
        signal: call.request.signal,
      });
      const isCondensed = error === undefined && condenseId !== undefined;
      if (isCondensed) sessions.changed(session.id, "folded");
      const made = isCondensed ? { foldId: condenseId, summary, newContextTokens } : { error };
      return Response.json({ isCondensed, ...made, costUsd: cost, version: await session.version() });
    },
  });
}

function remove(engine: Engine, sessions: ApiSessions): Route {
  return bodyRoute({
    method: "delete",
    path: SESSION_PATH,
    operationId: "deleteSession",
    summary: "Destroy a session and all that is kept of it; nothing else destroys anything",
    body: fields({}),
    reply: { description: "It is gone.", schema: record({ id: STRING, isDeleted: BOOLEAN }) },
    answer: async (_, call) => {
      const id = call.param("id");
      if (!(await engine.deleteSession(id))) throw noSession(id);
      sessions.changed(id, "deleted");
      return Response.json({ id, isDeleted: true });
    },
  });
}
