import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = resolve(import.meta.dirname, "../../dist/dashboard");
/** What the gateway serves: the page, and the files that it names. */
const served = readdirSync(folder).filter((name) => name === "index.html" || /-[0-9a-f]{12}\./.test(name));
const read = (name: string) => readFileSync(join(folder, name));

test("the dashboard takes at most 60 KB, compressed, in all", () => {
  expect(served).toHaveLength(4);
  const bytes = served.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(60 * 1024);
});

test("the page names its own files and nothing of other places", () => {
  const page = read("index.html").toString();
  for (const name of served.filter((each) => each !== "index.html")) expect(page).toContain(`"${name}"`);
  expect(page).not.toMatch(/https?:|<script>|<style>| style=| on\w+=/);
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
