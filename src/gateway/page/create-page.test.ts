import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closeAll, sendRaw, startProxy, startUpstream } from "../../../test/support/loopback.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createPage, isPageTarget } from "./create-page.ts";

const TOKEN = "a-token-of-32-characters-0123456";
const SCRIPT = "main-0123456789ab.js";

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), "dashboard");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Palimpsest</title>");
  writeFileSync(join(folder, SCRIPT), "export {};");
  writeFileSync(join(folder, "report.js"), "for a report, not for browsers");
});

afterEach(closeAll);

async function start(options: { readonly token?: string; readonly folder?: string } = {}) {
  const upstream = await startUpstream((response) => void response.end("upstream"));
  const { token } = options;
  return startProxy(upstream.url, {
    page: createPage(options.folder ?? folder),
    ...(token === undefined ? {} : { token }),
  });
}

test("serves the page for this moment, and its files for ever", async () => {
  const { url } = await start();
  const page = await fetch(`${url}/palimpsest/`);
  expect([page.status, await page.text()]).toEqual([200, "<!doctype html><title>Palimpsest</title>"]);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const script = await fetch(`${url}/palimpsest/${SCRIPT}`);
  expect([script.status, await script.text()]).toEqual([200, "export {};"]);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("cache-control")).toContain("immutable");
});

const LONG = "export const a = 1;\n".repeat(40);

test("sends files as the build compressed them to browsers that can read that", async () => {
  writeFileSync(join(folder, SCRIPT), LONG);
  writeFileSync(join(folder, `${SCRIPT}.br`), brotliCompressSync(LONG));
  const { port } = await start();
  const ask = (encoding: string) =>
    sendRaw(
      port,
      `GET /palimpsest/${SCRIPT} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${encoding}Connection: close\r\n\r\n`,
    );
  const compressed = await ask("Accept-Encoding: gzip, br\r\n");
  expect(compressed).toContain("content-encoding: br");
  expect(compressed).toContain("vary: accept-encoding");
  expect(compressed).not.toContain(LONG);
  for (const encoding of ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: br;q=0\r\n", "Accept-Encoding: xbr\r\n"]) {
    const plain = await ask(encoding);
    expect(plain).not.toContain("content-encoding");
    expect(plain).toContain(LONG);
  }
});

test("the page's own style sheet may apply, and no other that is written into it", async () => {
  const style = "body { margin: 0 }";
  writeFileSync(join(folder, "index.html"), `<!doctype html><style>${style}</style>`);
  const { url } = await start();
  const policy = (await fetch(`${url}/palimpsest/`)).headers.get("content-security-policy")?.split("; ");
  const hash = createHash("sha256").update(style).digest("base64");
  expect(policy).toContain(`style-src 'self' 'sha256-${hash}'`);
});

test("nothing that is written into the page can run, be sent elsewhere or be framed", async () => {
  const { url } = await start();
  for (const path of ["", SCRIPT]) {
    const { headers } = await fetch(`${url}/palimpsest/${path}`);
    const policy = headers.get("content-security-policy")?.split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy?.join()).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  const { headers } = await fetch(`${url}/palimpsest/missing.js`);
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

test("is cut off from whatever page opened it, and painted sooner where none did", async () => {
  const { port } = await start();
  const policyFor = async (site: string | undefined, path = "") => {
    const line = site === undefined ? "" : `Sec-Fetch-Site: ${site}\r\n`;
    const answer = await sendRaw(
      port,
      `GET /palimpsest/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${line}Connection: close\r\n\r\n`,
    );
    return /^cross-origin-opener-policy: (.*)$/m.exec(answer)?.[1]?.trim();
  };
  for (const site of [undefined, "same-site", "same-origin"]) {
    expect([site, await policyFor(site)]).toEqual([site, "same-origin"]);
    expect([site, await policyFor(site, "missing.js")]).toEqual([site, "same-origin"]);
  }
  expect([await policyFor("none"), await policyFor("none", SCRIPT)]).toEqual([undefined, undefined]);
});

test("leads to the page, with whatever stands before the path", async () => {
  const { port } = await start({ token: TOKEN });
  const answer = await sendRaw(
    port,
    `GET /palimpsest-token/${TOKEN}/palimpsest HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain("HTTP/1.1 308");
  expect(answer).toContain("location: palimpsest/");
});

describe("who may ask", () => {
  test.each(["Host: evil.example", "Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example"])(
    "not %j: the rules of the API hold",
    async (headers) => {
      const { port } = await start();
      const lines = headers.replace("PORT", String(port));
      const answer = await sendRaw(port, `GET /palimpsest/ HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
      expect(answer).toContain("HTTP/1.1 403");
    },
  );

  test("the files need no token, as the page must ask for it; the API does", async () => {
    const { url } = await start({ token: TOKEN });
    const statuses = await Promise.all(
      ["/palimpsest/", `/palimpsest/${SCRIPT}`, "/palimpsest/api/sessions", "/palimpsest/metrics"].map(
        async (path) => (await fetch(`${url}${path}`)).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 401, 401]);
  });

  test.each([
    ["/palimpsest", true],
    ["/palimpsest/", true],
    ["/palimpsest/?x=1", true],
    ["/palimpsest/style-0.css", true],
    ["/palimpsest/api", false],
    ["/palimpsest/api/sessions", false],
    ["/palimpsest/mcp", false],
    ["/palimpsest/metrics", false],
    ["/palimpsest/api/a.js", false],
    ["/palimpsest/../api/a.js", false],
    ["/palimpsest/%2e%2e/a.js", false],
    ["/palimpsestx/a.js", false],
  ])("the address %s is one of the page's: %s", (target, expected) => {
    expect(isPageTarget(target)).toBe(expected);
  });
});

test("only reads, and only its own files", async () => {
  const { url } = await start();
  expect((await fetch(`${url}/palimpsest/`, { method: "POST", body: "{}" })).status).toBe(405);
  const head = await fetch(`${url}/palimpsest/`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const name of ["report.js", "main-000000000000.js"]) {
    expect([name, (await fetch(`${url}/palimpsest/${name}`)).status]).toEqual([name, 404]);
  }
});

test("says how to build it where it was not built", async () => {
  const { url } = await start({ folder: join(folder, "missing") });
  const answer = await fetch(`${url}/palimpsest/`);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("npm run build")]);
});
