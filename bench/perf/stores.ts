/** What it costs to keep sessions in a store, and whether that grows with them. */
import { kilobyteMessages } from "./stores/kilobyte-messages.ts";
import { cells, growthRow, headings, type Load, measure } from "./stores/long-sessions.ts";
import { rewindHeadings, rewindRow } from "./stores/rewinds.ts";
import { storeKinds } from "./stores/store-kinds.ts";
import { row } from "./stores/times.ts";

const [SMALL, LARGE] = [10_000, 100_000];
const APPENDS = 2_000;
const SESSIONS = 1_000;
const MESSAGES_PER_SESSION = 20;

export async function benchStores(): Promise<void> {
  const { kinds, end } = await storeKinds();
  const messages = kilobyteMessages(LARGE + APPENDS);
  const oneSession = (size: number): Load => ({
    filled: messages.slice(0, size),
    sessions: 1,
    appended: messages.slice(size, size + APPENDS),
  });
  const manySessions: Load = {
    filled: messages.slice(0, MESSAGES_PER_SESSION),
    sessions: SESSIONS,
    appended: messages.slice(-APPENDS),
  };

  console.log(
    `\n${APPENDS} messages of 1 KB appended one by one, each followed by prepare(); times in ms; "of bare": a bare durable insert of the same bytes, in turns`,
  );
  console.log(row("", ...headings()));
  for (const kind of kinds) {
    const small = await measure(kind, oneSession(SMALL));
    console.log(row(`${kind.name}, ${SMALL}`, ...cells(small)));
    const large = await measure(kind, oneSession(LARGE));
    console.log(row(`  ${LARGE}`, ...cells(large)));
    console.log(growthRow(small, large));
    const many = await measure(kind, manySessions);
    console.log(row(`  ${SESSIONS} sessions`, ...cells(many)));
  }

  console.log(`\nRewinding to places all over a session of ${SMALL} messages, undoing it, and recall; times in ms`);
  console.log(rewindHeadings());
  for (const kind of kinds) console.log(await rewindRow(kind, messages.slice(0, SMALL)));
  await end();
}
