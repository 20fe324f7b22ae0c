/** A thousand sessions of a thousand messages in one database: what one more message costs among them, and how much room they take. */
import type { NewRecord, Store } from "palimpsest";
import { kilobyteMessages } from "../stores/kilobyte-messages.ts";
import { type StoreKind, storeKinds } from "../stores/store-kinds.ts";
import { milliseconds, quantile, ratio, row, timed } from "../stores/times.ts";
import { recordsOf } from "./recorded-appends.ts";

const SESSIONS = 1_000;
/** `npm run bench -- scale --full` takes some minutes more. */
const MESSAGES = process.argv.includes("--full") ? 1_000 : 100;
const AT_ONCE = 100;
const APPENDS = 500;

interface MutableCosts {
  cpuMs: number;
  readonly appendMs: number[];
  readonly openMs: number[];
}

type Costs = Readonly<MutableCosts>;

function noCosts(): MutableCosts {
  return { cpuMs: 0, appendMs: [], openMs: [] };
}

export async function benchManySessions(): Promise<void> {
  const { kinds, end } = await storeKinds();
  console.log(
    `\n${SESSIONS} sessions of ${MESSAGES} messages of 1 KB in one database; times in ms; "of empty": of the same in a database without them`,
  );
  console.log(
    row(
      "",
      "messages/s",
      "bytes/msg",
      "msgs per GB",
      "append CPU",
      "of empty",
      "append p50",
      "of empty",
      "p99",
      "of empty",
      "open p50",
      "of empty",
    ),
  );
  for (const kind of kinds) if (kind.name === "SQLite" || kind.name === "PostgreSQL") console.log(await rowOf(kind));
  await end();
}

async function rowOf(kind: StoreKind): Promise<string> {
  const [full, empty] = [await kind.create(), await kind.create()];
  const [store, alone] = [full.open(), empty.open()];
  if (store === undefined || alone === undefined) throw new Error(`${kind.name} is no store.`);
  const records = await recordsOf(kilobyteMessages(MESSAGES));
  const [fillMs] = await timed(() => fill(store, records));
  const bytes = (await full.diskBytes?.()) ?? Number.NaN;
  const perMessage = bytes / SESSIONS / MESSAGES;
  // in turns: what else the machine does concerns both
  const [among, single] = await inTurns(store, alone);
  await store.close();
  await alone.close();
  await full.remove();
  await empty.remove();
  const cells = (pick: (costs: Costs) => number) => [milliseconds(pick(among)), ratio(pick(among) / pick(single))];
  return row(
    kind.name,
    ((SESSIONS * MESSAGES * 1_000) / fillMs).toFixed(0),
    perMessage.toFixed(0),
    `${(1e9 / perMessage / 1e3).toFixed(0)}k`,
    ...cells(({ cpuMs }) => cpuMs),
    ...cells(({ appendMs }) => quantile(appendMs, 0.5)),
    ...cells(({ appendMs }) => quantile(appendMs, 0.99)),
    ...cells(({ openMs }) => quantile(openMs, 0.5)),
  );
}

const nameOf = (number: number) => `session ${number}`;

async function fill(store: Store, records: readonly NewRecord[]): Promise<void> {
  for (let number = 0; number < SESSIONS; number++) {
    const { key } = await store.open(nameOf(number));
    for (let start = 0; start < records.length; start += AT_ONCE) {
      await store.append(key, records.slice(start, start + AT_ONCE));
    }
  }
}

/** A session is opened, shown and appended to, each time another one: in the full database, then in the empty one. */
async function inTurns(store: Store, alone: Store): Promise<readonly [Costs, Costs]> {
  const [one] = await recordsOf(kilobyteMessages(1, SESSIONS * 10));
  if (one === undefined) throw new Error("A message gives no record.");
  const [among, single]: [MutableCosts, MutableCosts] = [noCosts(), noCosts()];
  for (let turn = 0; turn < APPENDS; turn++) {
    const id = nameOf((turn * 7_919) % SESSIONS);
    await measureAppend(store, { id, record: one, costs: among });
    await measureAppend(alone, { id, record: one, costs: single });
  }
  return [among, single];
}

interface Append {
  readonly id: string;
  readonly record: NewRecord;
  readonly costs: MutableCosts;
}

async function measureAppend(store: Store, { id, record, costs }: Append): Promise<void> {
  const { key } = await store.open(id);
  costs.openMs.push((await timed(() => store.open(id)))[0]);
  const cpu = process.cpuUsage();
  costs.appendMs.push((await timed(() => store.append(key, [record])))[0]);
  const { user, system } = process.cpuUsage(cpu);
  costs.cpuMs += (user + system) / 1_000 / APPENDS;
}
