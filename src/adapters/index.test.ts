import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { WIRE_ADAPTERS } from "./index.ts";

const src = resolve(import.meta.dirname, "..");

describe("the list of adapters", () => {
  test("has each name once, and one URL for each upstream", () => {
    const names = WIRE_ADAPTERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const upstreams = new Map(WIRE_ADAPTERS.map(({ upstream }) => [upstream.name, upstream]));
    for (const { upstream } of WIRE_ADAPTERS) expect(upstreams.get(upstream.name)).toEqual(upstream);
  });

  test("is the only place that names them: the gateway and the ports know of no wire", () => {
    const names = WIRE_ADAPTERS.flatMap(({ name, upstream }) => [name, upstream.name]);
    const naming = new RegExp(`["'/](?:${[...new Set(names)].join("|")})["'/]|\\b(?:anthropic|gemini)-[a-z]+["']`);
    const files = ["gateway/**/*.ts", "core/ports/*.ts"].flatMap((pattern) => globSync(pattern, { cwd: src }));
    const sources = files.filter((file) => !file.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((file) => naming.test(readFileSync(join(src, file), "utf8")))).toEqual([]);
  });
});
