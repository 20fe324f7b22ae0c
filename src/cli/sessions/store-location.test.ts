import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultDatabasePath } from "../../stores/sqlite/index.ts";
import type { Arguments } from "../terminal/command-line.ts";
import { nameOfStore, storeLocation } from "./store-location.ts";
import { storageName } from "./workspace-storage.ts";

const COMMAND = { name: "sessions", about: "", positionals: [], options: {} };

function given(store?: string): Arguments {
  return { type: "run", values: { store }, flags: new Set() };
}

describe("where sessions are kept", () => {
  test("is what --store says, else PALIMPSEST_STORE, else the data folder", () => {
    const environment = { PALIMPSEST_STORE: "other.db" };
    const isDefault = false;
    expect(storeLocation(COMMAND, given("mine.db"), environment)).toEqual({
      type: "sqlite",
      path: resolve("mine.db"),
      isDefault,
    });
    expect(storeLocation(COMMAND, given(), environment)).toMatchObject({ path: resolve("other.db"), isDefault });
    const nothing = storeLocation(COMMAND, given(), { PALIMPSEST_STORE: "" });
    expect(nothing).toEqual({ type: "sqlite", path: resolve(defaultDatabasePath()), isDefault: true });
    expect(storeLocation(COMMAND, given(defaultDatabasePath()), {})).toEqual(nothing);
  });

  test("a server is told by its scheme, and no other scheme is taken for a file", () => {
    for (const url of ["postgres://h/d", "postgresql://h/d"]) {
      expect(storeLocation(COMMAND, given(url), {})).toEqual({ type: "postgres", connectionString: url });
    }
    expect(() => storeLocation(COMMAND, given("mysql://h/d"), {})).toThrow("--store begins with mysql://");
    expect(() => storeLocation(COMMAND, given(), { PALIMPSEST_STORE: "redis://h" })).toThrow(
      "$PALIMPSEST_STORE begins",
    );
  });

  test("is never memory, which no other process can read; a file of that name has a path", () => {
    expect(() => storeLocation(COMMAND, given("memory"), {})).toThrow("--store is memory: such sessions are gone");
    expect(() => storeLocation(COMMAND, given(), { PALIMPSEST_STORE: "memory" })).toThrow(
      "$PALIMPSEST_STORE is memory",
    );
    expect(storeLocation(COMMAND, given("./memory"), {})).toMatchObject({ path: resolve("memory") });
  });

  test("a server is named without its user and password", () => {
    const name = nameOfStore({ type: "postgres", connectionString: "postgres://me:secret@db.example:5433/work" });
    expect(name).toBe("PostgreSQL at db.example:5433/work");
    expect(nameOfStore({ type: "postgres", connectionString: "postgres://me:secret@[broken" })).toBe("PostgreSQL");
  });
});

describe("the folder of a session's files", () => {
  const isDefault = { type: "sqlite", path: "/data/palimpsest.db", isDefault: true } as const;
  const elsewhere = { type: "sqlite", path: "/elsewhere/a.db", isDefault: false } as const;

  test("is one plain name, whatever the id is", () => {
    for (const id of ["../../etc", "a/b\\c", "con", "", "ü", "x".repeat(500), "a\nb", "."]) {
      expect(storageName(isDefault, id)).toMatch(/^[A-Za-z0-9_-]{0,40}-[0-9a-f]{12}$/);
    }
    expect(join("/checkpoints", storageName(isDefault, "task-42"))).toMatch(/^\/checkpoints\/task-42-[0-9a-f]{12}$/);
  });

  test("is no other session's: not by case, not by a slash, not in another store", () => {
    const names = [
      ...["a/b", "a-b", "A-b", "a b"].map((id) => storageName(isDefault, id)),
      storageName(elsewhere, "a/b"),
      storageName({ type: "postgres", connectionString: "postgres://u:one@h/d" }, "a/b"),
    ];
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });

  test("does not change with a password", () => {
    const of = (password: string) =>
      storageName({ type: "postgres", connectionString: `postgres://u:${password}@h/d` }, "s");
    expect(of("one")).toBe(of("two"));
  });
});
