import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../test/support/cpu-time.ts";
import { nearestName } from "./nearest-name.ts";

const COMMANDS = ["inspect", "compact", "recall", "eval", "demo"];

describe("the nearest name", () => {
  test("takes the fewest edits; case is free", () => {
    expect(nearestName("inspct", COMMANDS)).toBe("inspect");
    expect(nearestName("RECAL", COMMANDS)).toBe("recall");
  });

  test("is the first of equally near ones", () => {
    expect(nearestName("b", ["a", "c"])).toBe("a");
    expect(nearestName("b", ["c", "a"])).toBe("c");
  });

  test("compares only the part that counts", () => {
    const nameOf = (path: string) => path.slice(path.lastIndexOf(".") + 1);
    expect(nearestName("timeout", ["strategies.background", "strategies.timeoutMs"], { nameOf })).toBe(
      "strategies.timeoutMs",
    );
  });

  test("is none where none is near enough, or where there are none", () => {
    expect(nearestName("banana", COMMANDS, { maxEdits: 3 })).toBeUndefined();
    expect(nearestName("evil", COMMANDS, { maxEdits: 1 })).toBe("eval");
    expect(nearestName("eval", [])).toBeUndefined();
  });

  test("a name of a million characters is answered at once", () => {
    const name = "x".repeat(1_000_000);
    const finding = () => expect(nearestName(name, COMMANDS, { maxEdits: 3 })).toBeUndefined();
    expect(cpuTimeMs(finding)).toBeLessThan(1_000);
  });
});
