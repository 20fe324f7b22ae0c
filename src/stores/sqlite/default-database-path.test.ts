import { expect, test } from "vitest";
import { databasePathOf } from "./default-database-path.ts";

const environment = {
  XDG_DATA_HOME: "/data",
  LOCALAPPDATA: "C:\\Users\\anna\\AppData\\Local",
};

test("lies in the user's data folder of each platform", () => {
  const at = (platform: NodeJS.Platform, home: string) => databasePathOf({ platform, home, environment: {} });
  expect(at("linux", "/home/anna")).toBe("/home/anna/.local/share/palimpsest/palimpsest.db");
  expect(at("freebsd", "/home/anna")).toBe("/home/anna/.local/share/palimpsest/palimpsest.db");
  expect(at("darwin", "/Users/anna")).toBe("/Users/anna/Library/Application Support/palimpsest/palimpsest.db");
  expect(at("win32", "C:\\Users\\anna")).toBe("C:\\Users\\anna\\AppData\\Local\\palimpsest\\palimpsest.db");
});

test("follows the platform's own variable", () => {
  const at = (platform: NodeJS.Platform) => databasePathOf({ platform, home: "/home/anna", environment });
  expect(at("linux")).toBe("/data/palimpsest/palimpsest.db");
  expect(at("win32")).toBe("C:\\Users\\anna\\AppData\\Local\\palimpsest\\palimpsest.db");
  expect(at("darwin")).toBe("/home/anna/Library/Application Support/palimpsest/palimpsest.db");
});

test.each(["", "relative/data"])("ignores the data folder %j", (XDG_DATA_HOME) => {
  const path = databasePathOf({ platform: "linux", home: "/home/anna", environment: { XDG_DATA_HOME } });
  expect(path).toBe("/home/anna/.local/share/palimpsest/palimpsest.db");
});

test("lies in PALIMPSEST_HOME before all else", () => {
  const home = { home: "/home/anna", environment: { ...environment, PALIMPSEST_HOME: "/srv/p" } };
  expect(databasePathOf({ platform: "linux", ...home })).toBe("/srv/p/palimpsest.db");
  expect(databasePathOf({ platform: "darwin", ...home })).toBe("/srv/p/palimpsest.db");
});
