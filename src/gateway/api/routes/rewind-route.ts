import type { SessionRewindOptions } from "../../../engine/session/rewind.ts";
import type { Session } from "../../../engine/session/session.ts";
import { Refusal } from "../refusal.ts";
import { bodyRoute, type Route } from "../route.ts";
import { COUNT, choice, described, listOf, record, STRING } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { exactlyTrue, fields, flag, oneOf, optional, text, wholeNumber } from "../shape.ts";

const MAX_ID_LENGTH = 10_000;

const files = optional(
  flag({
    description:
      "Moves the agent's files to the same moment. Without it, `undo` does as the rewind did that it takes back.",
    fallback: false,
  }),
);
const dryRun = optional(flag({ description: "Tells what would be done, and changes nothing.", fallback: false }));

const rewindTarget = oneOf(
  fields({
    toVersion: wholeNumber({
      description: "The log becomes what it was then.",
      least: 0,
      most: Number.MAX_SAFE_INTEGER,
    }),
    files,
    dryRun,
  }),
  fields({
    toMessage: text({
      description: "The log becomes what it was when this had just been said.",
      maxLength: MAX_ID_LENGTH,
    }),
    includeMessage: optional(flag({ description: "False: right before it was said.", fallback: true })),
    files,
    dryRun,
  }),
  fields({ undo: exactlyTrue({ description: "Takes the newest rewind back." }), files, dryRun }),
  fields({ toCheckpoint: text({ description: "The id of a checkpoint.", maxLength: MAX_ID_LENGTH }), files, dryRun }),
) satisfies { accepts(value: unknown): value is SessionRewindOptions };

const movedFiles = record(
  {
    changed: listOf(record({ path: STRING, type: choice("written", "removed") })),
    kept: listOf(
      record({ path: STRING, reason: STRING }),
      "Left alone, because nothing could bring them back; a dry run does not know them.",
    ),
  },
  "Paths are relative to the agent's folder.",
);

export interface RewindRouteOptions {
  readonly sessions: ApiSessions;
  /** Whether the gateway keeps the files of agents. */
  readonly hasFiles: boolean;
}

/** Rewinds a session's log, and on request the files of its agent, to another moment. */
export function rewindRoute({ sessions, hasFiles }: RewindRouteOptions): Route {
  return bodyRoute({
    method: "post",
    path: "/palimpsest/api/sessions/{id}/rewind",
    operationId: "rewindSession",
    summary: "Make the log, and with `files` the agent's files, what they were at another moment",
    description:
      "Nothing is lost, and `undo` comes back. With `files`, the files are those of the newest checkpoint before that moment: the gateway makes one at each turn of a person, where it was started with checkpoints. Otherwise the answer is 409, `no-file-checkpoints`.",
    body: rewindTarget,
    reply: {
      description: "It is rewound; with `dryRun`, what would be done.",
      schema: record({
        version: described(COUNT, "That the rewind itself is."),
        toVersion: COUNT,
        messagesRemoved: described({ type: "integer" }, "Negative where messages were brought back."),
        "filesId?": described(STRING, "The checkpoint whose files came back; missing where they were left alone."),
        "files?": movedFiles,
      }),
    },
    answer: async (target, call) => {
      const { session } = await sessions.open(call.param("id"));
      if (target.files === true) await assertFiles(session, hasFiles);
      const rewound = await session.rewind(target);
      if (target.dryRun !== true) sessions.changed(session.id, "rewound");
      return Response.json(rewound);
    },
  });
}

async function assertFiles(session: Session, hasFiles: boolean): Promise<void> {
  if (!hasFiles) {
    throw noFiles(
      "This gateway keeps no files.",
      'Start it by "palimpsest run", or "palimpsest up --checkpoints FOLDER"',
    );
  }
  const checkpoints = await session.checkpoints();
  if (checkpoints.some(({ filesId }) => filesId !== undefined)) return;
  const what = `The session ${JSON.stringify(session.id)} has no checkpoint with files.`;
  throw noFiles(what, "One is made when its agent is next told something");
}

function noFiles(what: string, fix: string): Refusal {
  const message = `${what} ${fix}; or rewind the messages alone, without "files".`;
  return new Refusal(409, { code: "no-file-checkpoints", message });
}
