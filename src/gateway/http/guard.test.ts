import { describe, expect, test } from "vitest";
import { assertSafeBinding, type GuardPolicy, judge } from "./guard.ts";

const TOKEN = "a-token-of-32-characters-0123456";
const LOCAL: GuardPolicy = { host: "127.0.0.1", port: 7717 };
const SHARED: GuardPolicy = { host: "0.0.0.0", port: 7717, token: TOKEN };

function ask(policy: GuardPolicy, headers: Record<string, string>, target = "/v1/models"): string {
  const verdict = judge({ target, headers: { host: "127.0.0.1:7717", ...headers } }, policy);
  return verdict.type === "allowed" ? verdict.target : `${verdict.fault.status} ${verdict.fault.code}`;
}

describe("where the gateway may listen", () => {
  test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("needs no token on %s", (host) => {
    expect(() => assertSafeBinding({ host })).not.toThrow();
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "example.com", "127.0.0.1.example.com", ""])(
    "needs a token on %j",
    (host) => {
      expect(() => assertSafeBinding({ host })).toThrow(/Set a token/);
      expect(() => assertSafeBinding({ host, token: TOKEN })).not.toThrow();
    },
  );

  test("refuses a token that could be guessed, without telling it", () => {
    expect(() => assertSafeBinding({ host: "0.0.0.0", token: "short-secret" })).toThrow(
      "The gateway's token has 12 characters; it needs at least 16.",
    );
  });
});

describe("without a token", () => {
  test.each(["127.0.0.1:7717", "localhost:7717", "LOCALHOST:7717", "[::1]:7717", "127.9.9.9:7717"])(
    "a request for %s is ours",
    (host) => {
      expect(ask(LOCAL, { host })).toBe("/v1/models");
    },
  );

  test.each([
    "evil.example:7717",
    "127.0.0.1.evil.example:7717",
    "127.0.0.1",
    "127.0.0.1:80",
    "localhost",
    "user@localhost:7717",
    "localhost:7717:7717",
    "",
  ])("a request for %j is refused: a name of another site may point here", (host) => {
    expect(ask(LOCAL, { host })).toBe("403 forbidden-host");
  });

  test("a target that names a host is read as its path, if that host is ours", () => {
    expect(ask(LOCAL, {}, "http://127.0.0.1:7717/v1/models?a=1")).toBe("/v1/models?a=1");
    expect(ask(LOCAL, {}, "http://evil.example/v1/models")).toBe("403 forbidden-host");
    expect(ask(LOCAL, {}, "http://127.0.0.1:7717")).toBe("/");
    expect(ask(LOCAL, {}, "*")).toBe("400 invalid-target");
  });

  test("a token in the path is taken out, although none is asked for", () => {
    expect(ask(LOCAL, {}, `/palimpsest-token/${TOKEN}/v1/models?x=/y`)).toBe("/v1/models?x=/y");
  });
});

describe("requests of browsers", () => {
  test("pass from our own origin", () => {
    expect(ask(LOCAL, { origin: "http://127.0.0.1:7717", "sec-fetch-site": "same-origin" })).toBe("/v1/models");
  });

  test.each([
    { origin: "https://evil.example" },
    { origin: "http://127.0.0.1:3000" },
    { origin: "https://127.0.0.1:7717" },
    { origin: "null" },
    { origin: "http://127.0.0.1:7717.evil.example" },
    { origin: "http://127.0.0.1:7717, https://evil.example" },
    { "sec-fetch-site": "cross-site" },
  ])("are refused from elsewhere: %j", (headers) => {
    expect(ask(LOCAL, headers)).toBe("403 forbidden-origin");
    expect(ask(SHARED, { ...headers, "x-palimpsest-token": TOKEN, origin: "https://evil.example" })).toBe(
      "403 forbidden-origin",
    );
  });

  test("pass from https before a gateway with a token, which another server may publish", () => {
    const headers = { host: "gateway.example", origin: "https://gateway.example", "x-palimpsest-token": TOKEN };
    expect(ask(SHARED, headers)).toBe("/v1/models");
  });
});

describe("with a token", () => {
  test("any name will do, but nothing passes without it", () => {
    expect(ask(SHARED, { host: "gateway.example" })).toBe("401 unauthorized");
    expect(ask(SHARED, { host: "gateway.example", "x-palimpsest-token": TOKEN })).toBe("/v1/models");
  });

  test.each(["", "wrong", TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase()])("%j is not it", (given) => {
    expect(ask(SHARED, { "x-palimpsest-token": given })).toBe("401 unauthorized");
    expect(ask(SHARED, {}, `/palimpsest-token/${given}/v1/models`)).toBe("401 unauthorized");
    expect(ask(SHARED, { authorization: `Bearer ${given}` }, "/palimpsest/api")).toBe("401 unauthorized");
  });

  test("may stand in the path, and is taken out", () => {
    expect(ask(SHARED, {}, `/palimpsest-token/${TOKEN}/v1/models?limit=2`)).toBe("/v1/models?limit=2");
    expect(ask(SHARED, {}, `/palimpsest-token/${TOKEN}`)).toBe("/");
    expect(ask(SHARED, {}, `/palimpsest-token/${TOKEN}?a`)).toBe("/?a");
    expect(ask(SHARED, {}, `/palimpsest-token/%ZZ/v1/models`)).toBe("401 unauthorized");
  });

  test("may be a bearer for our own paths only: elsewhere that is the provider's key", () => {
    const authorization = `Bearer ${TOKEN}`;
    expect(ask(SHARED, { authorization }, "/palimpsest/api/sessions")).toBe("/palimpsest/api/sessions");
    expect(ask(SHARED, { authorization }, "/v1/models")).toBe("401 unauthorized");
    expect(ask(SHARED, { authorization }, "/palimpsests")).toBe("401 unauthorized");
  });

  test("is asked on loopback too, where one was set", () => {
    expect(ask({ ...LOCAL, token: TOKEN }, {})).toBe("401 unauthorized");
  });
});
