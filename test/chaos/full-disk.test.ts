import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { validateView } from "../../src/core/index.ts";
import { type Message, restoreAllMessages, type Session } from "../../src/index.ts";
import { describePostgres, freshSchema, runSql } from "../support/postgres-database.ts";
import { canMount, smallDisk } from "../support/temporary-folder.ts";
import { tellFigures } from "./chaos-size.ts";
import { engineOn, openStore } from "./open-store.ts";
import { counterMessage, turnOf } from "./turns.ts";
import type { StorePlace } from "./writer-lines.ts";

const IMPOSSIBLE_TURNS = 5_000;

/** Appends and prepares until something fails; gives what was acknowledged, and the failure. */
async function workUntilFailure(session: Session, writer: string) {
  const acknowledged: Message[] = [];
  for (let turn = 0; turn < IMPOSSIBLE_TURNS; turn++) {
    const said = turnOf(writer, turn);
    try {
      await session.append(...said);
      acknowledged.push(...said);
      await session.prepare();
    } catch (error) {
      return { acknowledged, error };
    }
  }
  throw new Error("The disk is too large for this test.");
}

async function openSession(place: StorePlace): Promise<Session> {
  const store = openStore(place);
  onTestFinished(() => store.close());
  return engineOn(store).session("session");
}

async function bytesOf(session: Session): Promise<string> {
  return JSON.stringify([await session.log(), await session.view(), await session.version()]);
}

async function expectSaid(session: Session, said: readonly Message[]): Promise<void> {
  expect(JSON.stringify(restoreAllMessages(await session.log()))).toBe(JSON.stringify(said));
  expect(validateView(await session.view())).toEqual([]);
}

describe.skipIf(!canMount)("a session on a full disk", () => {
  test("says so, keeps what was acknowledged, can be read, and goes on when there is room", async () => {
    const { folder } = smallDisk(4_000);
    const ballast = join(folder, "ballast");
    const place = { type: "sqlite", path: join(folder, "store.db") } as const;
    const session = await openSession(place);
    await session.append(counterMessage(0));
    writeFileSync(ballast, Buffer.alloc(2_000_000));

    const first = await workUntilFailure(session, "first");
    const full = { code: "store-failed", message: expect.stringMatching(/disk is full.*Free some space/) };
    expect(first.error).toMatchObject(full);
    expect(first.acknowledged.length).toBeGreaterThan(20);
    const said = [counterMessage(0), ...first.acknowledged];
    await expectSaid(session, said);
    expect(await session.recall("must keep 4711")).not.toEqual([]);
    await expect(session.append({ role: "user", content: "x".repeat(500_000) })).rejects.toMatchObject(full);
    await expectSaid(session, said);
    await expectSaid(await openSession(place), said);

    rmSync(ballast);
    const second = await workUntilFailure(session, "second");
    expect(second.error).toMatchObject(full);
    expect(second.acknowledged.length).toBeGreaterThan(20);
    await expectSaid(session, [...said, ...second.acknowledged]);
    expect(await bytesOf(await openSession(place))).toBe(await bytesOf(session));
    tellFigures("full disk, SQLite", { acknowledgedMessages: said.length + second.acknowledged.length, lost: 0 });
  });
});

describe.skipIf(!canMount)("a session on a read-only disk", () => {
  test("is refused with what to do, and is the same when the disk can be written again", async () => {
    const disk = smallDisk(4_000);
    const place = { type: "sqlite", path: join(disk.folder, "store.db") } as const;
    const store = openStore(place);
    const session = await engineOn(store).session("session");
    await session.append(counterMessage(0));
    for (let turn = 0; turn < 40; turn++) {
      await session.append(...turnOf("writer", turn));
      await session.prepare();
    }
    const before = await bytesOf(session);
    await store.close();

    disk.setReadOnly(true);
    await expect(openSession(place)).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/cannot be written.*Allow the user/),
    });
    disk.setReadOnly(false);
    expect(await bytesOf(await openSession(place))).toBe(before);
  });
});

await describePostgres("a session on a PostgreSQL whose disk is full", (connectionString) => {
  test("says so, keeps what was acknowledged, can be read, and goes on when there is room", async () => {
    const schema = freshSchema(connectionString);
    const session = await openSession({ type: "postgres", connectionString, schema });
    await session.append(counterMessage(0));
    // The error that a full disk is; to fill one for real takes a server of its own and gigabytes.
    await runSql(
      connectionString,
      `SET search_path TO "${schema}";
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
           IF NEW.version > 60 THEN RAISE 'could not extend file' USING ERRCODE = '53100'; END IF;
           RETURN NEW;
         END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const { acknowledged, error } = await workUntilFailure(session, "first");
    expect(error).toMatchObject({ code: "store-failed", message: expect.stringMatching(/disk .* is full/) });
    await expectSaid(session, [counterMessage(0), ...acknowledged]);
    await runSql(connectionString, `DROP TRIGGER refuse ON "${schema}".records`);
    await session.append(...turnOf("second", 0));
    await session.prepare();
    await expectSaid(session, [counterMessage(0), ...acknowledged, ...turnOf("second", 0)]);
  });
});
