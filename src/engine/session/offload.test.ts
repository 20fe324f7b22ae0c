import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession, problemsOf, SMALL, toolLoop, untyped } from "../../../test/support/sessions.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { folderOffload } from "../../checkpoints/folder-offload.ts";
import {
  type BlockFold,
  createEngine,
  type EngineOptions,
  type Message,
  type OffloadedFile,
  type OffloadFiles,
  type Session,
} from "../../index.ts";
import { sqliteStore } from "../../stores/sqlite/sqlite-store.ts";

/** A window of 60,000 tokens, and reads that fill it: all but ten are cleared. */
const ROOMY = { ...SMALL, contextWindow: 60_000 } as const;
const READS = toolLoop(20, 3_000);

async function foldsOf(session: Session): Promise<readonly BlockFold[]> {
  return (await session.log()).flatMap(({ folds = [] }) => folds);
}

/** The paths that the view names. */
function pathsIn(view: readonly Message[]): readonly string[] {
  return [...JSON.stringify(view).matchAll(/whole output in ([^\]]+)\]/g)].map((match) => match[1] ?? "");
}

function outputOf(block: unknown): unknown {
  return typeof block === "object" && block !== null ? Reflect.get(block, "content") : undefined;
}

async function prepared(options: Partial<EngineOptions>, messages: readonly Message[] = READS) {
  const { session, engine } = await openSession({ ...ROOMY, ...options });
  await session.append(...messages);
  return { session, engine, ...(await session.prepare()) };
}

describe("with a folder", () => {
  test("the whole of a cleared output is where its stand-in says", async () => {
    const { session, messages, report } = await prepared({ offload: folderOffload({ folder: temporaryFolder() }) });
    const paths = pathsIn(messages);
    expect(paths.length).toBeGreaterThan(5);
    const said = READS.flatMap(({ content }) => (typeof content === "string" ? [] : content)).map(outputOf);
    for (const path of paths) expect(said).toContain(readFileSync(path, "utf8"));
    expect(new Set(paths).size).toBe(paths.length);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(report.warnings).toEqual([]);
    expect(await problemsOf(session, READS)).toEqual([]);
  });

  test("the whole of a clipped output is too", async () => {
    const huge = toolLoop(1, 90_000);
    const { session, messages } = await prepared({ offload: folderOffload({ folder: temporaryFolder() }) }, huge);
    const [path = ""] = pathsIn(messages);
    expect(readFileSync(path, "utf8")).toBe(outputOf(huge[2]?.content[0]));
    expect((await foldsOf(session)).map(({ kind }) => kind)).toEqual(["clip"]);
    expect(await problemsOf(session, huge)).toEqual([]);
  });

  test("outputs under the threshold get no file", async () => {
    const offload = folderOffload({ folder: temporaryFolder(), minTokens: 4_000 });
    const { session, messages } = await prepared({ offload });
    expect((await foldsOf(session)).length).toBeGreaterThan(5);
    expect(pathsIn(messages)).toEqual([]);
  });

  test("restoring removes the stand-in, and the file stays for a rewind that brings the stand-in back", async () => {
    const { session, messages } = await prepared({ offload: folderOffload({ folder: temporaryFolder() }) });
    const paths = pathsIn(messages);
    const version = await session.version();
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    expect(pathsIn(await session.view())).toEqual([]);
    await session.rewind({ toVersion: version });
    expect(pathsIn(await session.view())).toEqual(paths);
    for (const path of paths) expect(readFileSync(path, "utf8")).toContain(" apple apple");
  });

  test("another engine on the same database shows the same bytes, with and without a folder", async () => {
    const store = () => sqliteStore({ path: join(folder, "sessions.db") });
    const folder = temporaryFolder();
    const offload = folderOffload({ folder: join(folder, "outputs") });
    const first = await prepared({ store: store(), offload });
    for (const options of [{ offload }, {}]) {
      const again = await createEngine({ ...ROOMY, store: store(), ...options }).session("task");
      expect(JSON.stringify((await again.prepare()).messages)).toBe(JSON.stringify(first.messages));
      again.close();
    }
    expect((await first.session.verify()).type).toBe("intact");
  });

  test("deleting the session deletes its files", async () => {
    const store = sqliteStore({ path: join(temporaryFolder(), "sessions.db") });
    const { engine, messages } = await prepared({ store, offload: folderOffload({ folder: temporaryFolder() }) });
    const [path = ""] = pathsIn(messages);
    expect(await engine.deleteSession("task")).toBe(true);
    expect(() => readFileSync(path)).toThrow("ENOENT");
  });

  test("a file is written before the fold that names it is kept", async () => {
    const { session, write } = await watchedSession();
    await session.append(...READS);
    await session.prepare();
    expect(write.names.length).toBeGreaterThan(5);
    expect(write.foldsMeanwhile).toEqual(write.names.map(() => 0));
    expect((await foldsOf(session)).flatMap(({ file }) => file ?? [])).toEqual(write.names);
  });
});

/** A session whose files remember how many folds it had when they were written. */
async function watchedSession() {
  const write = { names: [] as string[], foldsMeanwhile: [] as number[] };
  const opened: { session?: Session } = {};
  const offload = files({
    write: async ({ name }) => {
      write.names.push(name);
      write.foldsMeanwhile.push(opened.session === undefined ? -1 : (await foldsOf(opened.session)).length);
    },
  });
  const { session } = await openSession({ ...ROOMY, offload });
  opened.session = session;
  return { session, write };
}

/** Files that exist only as far as a test says. */
function files(changes: Partial<OffloadFiles> = {}): OffloadFiles {
  return {
    pathOf: ({ name }) => `/outputs/${name}`,
    write: async () => {},
    remove: async () => {},
    ...changes,
  };
}

describe("a file that cannot be written", () => {
  const refuse = async () => {
    throw new Error("no space left");
  };
  const never = () => new Promise<void>(() => {});
  const odd = ({ name }: OffloadedFile) => (name.startsWith("t1") ? refuse() : Promise.resolve());

  test.each<[string, Partial<OffloadFiles>]>([
    ["fails", { write: refuse }],
    [
      "throws at once",
      {
        write: untyped(() => {
          throw new Error("no space left");
        }),
      },
    ],
    ["hangs", { write: never, timeoutMs: 20 }],
    [
      "has no path",
      {
        pathOf: () => {
          throw new Error("no space left");
        },
      },
    ],
    ["has a path of two lines", { pathOf: () => "a\nb" }],
  ])("leaves the usual stand-in where it %s", async (_, changes) => {
    const { session, messages, report, engine } = await prepared({ offload: files(changes) });
    const usual = await prepared({});
    expect(JSON.stringify(messages)).toBe(JSON.stringify(usual.messages));
    expect(await foldsOf(session)).toEqual(await foldsOf(usual.session));
    expect(engine.getHistory().filter(({ type }) => type === "fault").length).toBeGreaterThan(0);
    if (changes.write !== undefined) {
      expect(report.warnings).toEqual([expect.stringMatching(/^\d+ tool outputs could not be written to a file/)]);
    }
  });

  test("costs only its own path", async () => {
    const { session, messages, report } = await prepared({ offload: files({ write: odd }) });
    const names = (await foldsOf(session)).map(({ file = "none" }) => file.replace(/-.*/, ""));
    expect(names).toContain("none");
    expect(names).toContain("t2");
    expect(names).not.toContain("t1");
    expect(pathsIn(messages).length).toBe(names.filter((name) => name !== "none").length);
    expect(report.warnings).toEqual([expect.stringContaining("no space left")]);
  });

  test("is a warning on a real folder that is gone", async () => {
    const folder = temporaryFolder();
    const blocked = join(folder, "file", "below");
    const offload = folderOffload({ folder: blocked });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file where the folder was");
    const { session, report } = await prepared({ offload });
    expect(report.warnings).toEqual([expect.stringContaining("could not be written")]);
    expect(await problemsOf(session, READS)).toEqual([]);
  });
});

test("deleting tells where the files could not be deleted, and can be done again", async () => {
  let isFailing = true;
  const removed: string[] = [];
  const remove = async (id: string) => {
    if (isFailing) throw new Error("busy");
    removed.push(id);
  };
  const { engine } = await prepared({ offload: files({ remove }) });
  await expect(engine.deleteSession("task")).rejects.toThrow("busy");
  isFailing = false;
  await engine.deleteSession("task");
  expect(removed).toEqual(["task"]);
});
