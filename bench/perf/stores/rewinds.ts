/** Going back and forth in a long session with many folds, and searching what they hide. */
import type { Message, Session } from "palimpsest";
import { fill, newEngine } from "./long-sessions.ts";
import type { StoreKind } from "./store-kinds.ts";
import { milliseconds, quantile, row, timed } from "./times.ts";

const FILL_FOLDS = 50;
const REWINDS = 40;
const RECALLS = 40;
const QUERIES = ["harbor lights and the distant coast", "measureWeather", "src/part-13.ts", "error code 0x1f4"];

export function rewindHeadings(): string {
  const recall = ["recall 1st", "again p50", "max", "grown p50", "max"];
  return row("", "folds", "rewind p50", "max", "undo p50", "max", ...recall);
}

export async function rewindRow(kind: StoreKind, messages: readonly Message[]): Promise<string> {
  const place = await kind.create();
  const store = place.open();
  const session = await newEngine(store).session("long");
  const spare = messages.slice(-RECALLS);
  await fill(session, messages.slice(0, -RECALLS), FILL_FOLDS);
  const folds = (await session.folds()).length;
  const [rewindMs, undoMs] = await goBackAndForth(session);
  const [firstMs] = await recall(session, 0);
  const againMs: number[] = [];
  for (let turn = 0; turn < RECALLS; turn++) againMs.push((await recall(session, turn))[0]);
  const grownMs: number[] = [];
  for (const [turn, message] of spare.entries()) {
    await session.append(message);
    grownMs.push((await recall(session, turn))[0]);
  }
  await store?.close();
  await place.remove();
  const cells = [rewindMs, undoMs].flatMap((times) => [quantile(times, 0.5), quantile(times, 1)]);
  const recallCells = [againMs, grownMs].flatMap((times) => [quantile(times, 0.5), quantile(times, 1)]);
  return row(kind.name, String(folds), ...[...cells, firstMs, ...recallCells].map(milliseconds));
}

/** To places all over the session, most of them behind folds. */
async function goBackAndForth(session: Session): Promise<readonly [readonly number[], readonly number[]]> {
  const said = (await session.log()).filter(({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker);
  const [rewindMs, undoMs]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < REWINDS; turn++) {
    const { id = "" } = said[Math.floor(((turn + 0.5) / REWINDS) * said.length)] ?? {};
    rewindMs.push((await timed(() => session.rewind({ toMessage: id })))[0]);
    undoMs.push((await timed(() => session.rewind({ undo: true })))[0]);
  }
  return [rewindMs, undoMs];
}

function recall(session: Session, turn: number) {
  return timed(() => session.recall(QUERIES[turn % QUERIES.length] ?? ""));
}
