import type { Store } from "../../core/ports/store.ts";
import { assertLockRelease, assertLockRequest } from "../../core/store/assert-store-arguments.ts";
import { noSession } from "./no-session.ts";
import { NOW_MS_SQL, type StatementContext } from "./statement-context.ts";

interface LockRow {
  readonly holder: string;
  readonly expires_at: string;
}

export function lockOperations({ database, table }: StatementContext): Pick<Store, "acquireLock" | "releaseLock"> {
  const locks = table("locks");
  const acquire = {
    name: "acquire-lock",
    // Gives the row as it then is, whoever holds it: who asked and who holds it can never be out of step.
    text: `
      INSERT INTO ${locks} AS held (session_key, name, holder, expires_at)
      SELECT key, $2, $3, ${NOW_MS_SQL} + $4::bigint FROM ${table("sessions")} WHERE key = $1 FOR KEY SHARE
      ON CONFLICT (session_key, name) DO UPDATE SET (holder, expires_at) = (
        SELECT holder, expires_at
        FROM (VALUES (held.holder, held.expires_at, 1), (excluded.holder, excluded.expires_at, 2)) AS claim (holder, expires_at, rank)
        WHERE rank = CASE
          WHEN held.holder <> excluded.holder AND held.expires_at > excluded.expires_at - $4::bigint THEN 1 ELSE 2
        END
      )
      RETURNING holder, expires_at`,
  };
  const release = {
    name: "release-lock",
    text: `
      DELETE FROM ${locks} WHERE session_key = $1 AND name = $2 AND holder = coalesce($3, holder)
      RETURNING expires_at > ${NOW_MS_SQL} AS was_held`,
  };

  return {
    async acquireLock(lock) {
      assertLockRequest(lock);
      const { sessionKey, name, holder, durationMs } = lock;
      const [row] = await database.write<LockRow>(acquire, [sessionKey, name, holder, durationMs]);
      if (row === undefined) throw noSession(sessionKey);
      const expiresAt = Number(row.expires_at);
      return row.holder === holder ? { type: "acquired", expiresAt } : { type: "held", holder: row.holder, expiresAt };
    },

    async releaseLock(lock) {
      assertLockRelease(lock);
      const { sessionKey, name, holder } = lock;
      const [row] = await database.write<{ readonly was_held: boolean }>(release, [sessionKey, name, holder]);
      return row?.was_held ?? false;
    },
  };
}
