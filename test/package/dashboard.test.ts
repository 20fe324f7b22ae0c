import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = resolve(import.meta.dirname, "../../dist/dashboard");
/** What the gateway serves: the page, and the files that it names. */
const served = readdirSync(folder).filter((name) => name === "index.html" || /-[0-9a-f]{12}\.[a-z]+$/.test(name));
const read = (name: string) => readFileSync(join(folder, name));

test("the dashboard takes at most 60 KB, compressed, in all", () => {
  expect(served).toHaveLength(3);
  const bytes = served.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(60 * 1024);
});

test("the page names its own files and nothing of other places", () => {
  const page = read("index.html").toString();
  for (const name of served.filter((each) => each !== "index.html")) expect(page).toContain(`"${name}"`);
  expect(page).not.toMatch(/https?:|<script>| style=| on\w+=/);
});

test("the first paint waits for the page alone: its style sheet is in it, and its script is deferred", () => {
  const page = read("index.html").toString();
  expect(page.match(/<style>[^<]{1000,}<\/style>/g)).toHaveLength(1);
  expect(page).not.toContain('rel="stylesheet"');
  expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('type="module"')]);
  expect(page).toContain("</header></div>");
});

test("each file is there compressed as well", () => {
  for (const name of served) expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name))).toBe(true);
});

test("scripts write text, never markup, and ask nobody but the gateway", () => {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".js"))) {
    const script = read(name).toString();
    expect(script).not.toMatch(/insertAdjacentHTML|document\.write|outerHTML|\beval\(|new Function/);
    // Names of namespaces are no addresses that are asked.
    const addresses = [...script.matchAll(/https?:\/\/[\w.]+/g)].map(([address]) => address);
    expect(addresses.filter((address) => !address.endsWith("www.w3.org"))).toEqual([]);
  }
});
