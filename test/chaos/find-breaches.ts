/** What always holds of a session, whatever happened to the processes that wrote it. */

import { validateView } from "../../src/core/index.ts";
import { getEffectiveApiHistory, type Message, restoreAllMessages } from "../../src/index.ts";
import type { FoundSession } from "./read-session.ts";
import { type Replayed, replayRecords } from "./replay-records.ts";
import { COUNTER_ID, placeOf, turnOf } from "./turns.ts";
import type { OperationName, WriterLine } from "./writer-lines.ts";

/** What writers told about one session, each writer's lines in their order. */
export type ToldLines = ReadonlyMap<string, readonly WriterLine[]>;

/** One line for each promise that is broken. */
export function findBreaches(found: FoundSession, told: ToldLines): readonly string[] {
  const replayed = replayRecords(found.records);
  const breaches = [
    ...wholeBreaches(found, replayed),
    ...replayed.lostUpdates,
    ...updateBreaches(found.id, { replayed, told }),
    ...[...told].flatMap(([writer, lines]) => [
      ...appendBreaches(found.id, { writer, lines, replayed }),
      ...rewindBreaches(found, lines),
      ...versionBreaches(found.id, lines),
    ]),
    ...strangerBreaches(replayed, told),
  ];
  return breaches.map((breach) => `${found.id}: ${breach}`);
}

/** Lossless, valid, and numbered without gaps. */
function wholeBreaches({ version, records, recordVersions, log, view }: FoundSession, { said }: Replayed) {
  const isNumbered = recordVersions.every((each, index) => each === index + 1) && version === records.length;
  const isViewOfLog = JSON.stringify(view) === JSON.stringify(getEffectiveApiHistory(log));
  const isRestored = JSON.stringify(restoreAllMessages(log)) === JSON.stringify(said);
  return [
    ...(isNumbered ? [] : [`its ${records.length} records are not numbered up to ${version}`]),
    ...(isRestored ? [] : ["without its folds the log is not what was said"]),
    ...(isViewOfLog ? [] : ["the view is not the log's"]),
    ...(log.length === 0 ? [] : validateView(view).map(({ reason }) => `the view is refused: ${reason}`)),
  ];
}

interface WriterFacts {
  readonly writer: string;
  readonly lines: readonly WriterLine[];
  readonly replayed: Replayed;
}

/** What was acknowledged is there, whole, once, in the order in which it was said, and byte for byte. */
function appendBreaches(session: string, { writer, lines, replayed }: WriterFacts): readonly string[] {
  const stored = replayed.appended.filter(({ id }) => placeOf(id)?.writer === writer);
  const storedTurns = [...new Set(stored.map(({ id }) => placeOf(id)?.turn ?? -1))];
  const acknowledged = lines.flatMap((line) => (line.type === "appended" && line.session === session ? line.turn : []));
  const uncertain = new Set(uncertainTurns(lines, session));
  const lost = acknowledged.filter((turn) => !storedTurns.includes(turn));
  const unknown = storedTurns.filter((turn) => !acknowledged.includes(turn) && !uncertain.has(turn));
  const expected = storedTurns.flatMap((turn) => turnOf(writer, turn));
  const isSame = JSON.stringify(stored) === JSON.stringify(expected);
  const isInOrder = storedTurns.every((turn, index) => index === 0 || turn > (storedTurns[index - 1] ?? 0));
  return [
    ...lost.map((turn) => `turn ${turn} of ${writer} was acknowledged and is lost`),
    ...unknown.map((turn) => `turn ${turn} of ${writer} is there, but was refused or never begun`),
    ...(isSame ? [] : [`a turn of ${writer} is there in part, twice, or with other bytes`]),
    ...(isInOrder ? [] : [`the turns of ${writer} are not in its order: ${storedTurns.join(" ")}`]),
    ...splitTurns(replayed.appended, writer),
  ];
}

/** The messages of one append lie next to each other, whoever else was writing. */
function splitTurns(appended: readonly Message[], writer: string): readonly string[] {
  return appended.flatMap(({ id }, index) => {
    const place = placeOf(id);
    if (place === undefined || place.writer !== writer || place.isLast) return [];
    const next = placeOf(appended[index + 1]?.id);
    const isWhole = next?.writer === writer && next.turn === place.turn && next.index === place.index + 1;
    return isWhole ? [] : [`turn ${place.turn} of ${writer} was torn apart`];
  });
}

function rewindBreaches({ id, records }: FoundSession, lines: readonly WriterLine[]): readonly string[] {
  return lines.flatMap((line) => {
    if (line.type !== "rewound" || line.session !== id) return [];
    const record = records[line.version - 1];
    const isThere = record?.type === "rewind" && record.toVersion === line.toVersion && record.isUndo === line.isUndo;
    return isThere ? [] : [`the rewind of version ${line.version} was acknowledged and is lost`];
  });
}

/** What one writer sees never goes back. */
function versionBreaches(session: string, lines: readonly WriterLine[]): readonly string[] {
  let seen = 0;
  return lines.flatMap((line) => {
    if ((line.type !== "looked" && line.type !== "rewound") || line.session !== session) return [];
    const isLater = line.type === "looked" ? line.version >= seen : line.version > seen;
    const breach = isLater ? [] : [`version ${line.version} was seen after ${seen}`];
    seen = line.version;
    return breach;
  });
}

interface UpdateFacts {
  readonly replayed: Replayed;
  readonly told: ToldLines;
}

/** Every acknowledged update counted, and no other did but those whose end nobody knows. */
function updateBreaches(session: string, { replayed, told }: UpdateFacts): readonly string[] {
  const lines = [...told.values()];
  const acknowledged = lines.flat().filter((line) => line.type === "updated" && line.session === session).length;
  const uncertain = lines
    .flatMap((each) => uncertainOperations(each, session))
    .filter((name) => name === "update").length;
  const isRight = replayed.updates >= acknowledged && replayed.updates <= acknowledged + uncertain;
  return isRight
    ? []
    : [`${acknowledged} updates were acknowledged and ${uncertain} left open, but ${replayed.updates} are there`];
}

function strangerBreaches({ appended }: Replayed, told: ToldLines): readonly string[] {
  return appended.flatMap(({ id }) => {
    const writer = placeOf(id)?.writer;
    return id === COUNTER_ID || (writer !== undefined && told.has(writer)) ? [] : [`nobody said the message ${id}`];
  });
}

type Begun = Extract<WriterLine, { readonly type: "began" }>;

/** What a writer had begun when it was killed. */
export function unfinishedOperation(lines: readonly WriterLine[]): Begun | undefined {
  const last = lines.at(-1);
  return last?.type === "began" ? last : undefined;
}

/** Begun, and it may have happened or not: the writer was killed, or the connection broke. */
function uncertainOnes(lines: readonly WriterLine[], session: string) {
  const refused = lines.filter((line) => line.type === "refused" && line.code === "store-failed");
  const begun = unfinishedOperation(lines);
  return [...refused, ...(begun === undefined ? [] : [begun])].filter(
    (line): line is Extract<WriterLine, { readonly type: "began" | "refused" }> =>
      "session" in line && line.session === session,
  );
}

function uncertainTurns(lines: readonly WriterLine[], session: string): readonly number[] {
  return uncertainOnes(lines, session).flatMap(({ turn }) => turn ?? []);
}

function uncertainOperations(lines: readonly WriterLine[], session: string): readonly (OperationName | "open")[] {
  return uncertainOnes(lines, session).map(({ operation }) => operation);
}
