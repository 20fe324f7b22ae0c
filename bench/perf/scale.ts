/** Whether anything costs more the longer a session is, or the more of them there are. */
import { benchLogLength } from "./scale/log-length.ts";
import { benchLongRequests } from "./scale/long-requests.ts";
import { benchManySessions } from "./scale/many-sessions.ts";
import { benchReopenedSessions } from "./scale/reopened-sessions.ts";
import { benchStickySessions } from "./scale/sticky-sessions.ts";
import { benchTenMillionRows } from "./scale/ten-million-rows.ts";
import { benchUsedOnce } from "./scale/used-once.ts";

/** Each prints its own table. `--only=rows,sticky` chooses among them, `--full` takes the large sizes. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  log: benchLogLength,
  requests: benchLongRequests,
  reopened: benchReopenedSessions,
  once: benchUsedOnce,
  sessions: benchManySessions,
  rows: benchTenMillionRows,
  sticky: benchStickySessions,
};

export async function benchScale(): Promise<void> {
  const only = process.argv
    .find((each) => each.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  for (const [name, part] of Object.entries(PARTS)) if (only?.includes(name) ?? true) await part();
}
