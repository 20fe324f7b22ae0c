import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../core/errors.ts";
import { networkProxyFor } from "./network-proxy.ts";

const PROXY = "http://proxy.corp:3128";
const API = "https://api.anthropic.com";

describe("the proxy of an upstream", () => {
  test("is named by the variable of its scheme, in small letters before capitals", () => {
    expect(networkProxyFor(API, { HTTPS_PROXY: PROXY })).toEqual({ origin: PROXY, authorization: undefined });
    expect(networkProxyFor(API, { https_proxy: PROXY, HTTPS_PROXY: "http://other" })?.origin).toBe(PROXY);
    expect(networkProxyFor("http://llm.corp:8000", { HTTP_PROXY: PROXY })?.origin).toBe(PROXY);
    expect(networkProxyFor(API, { HTTP_PROXY: PROXY })).toBeUndefined();
    expect(networkProxyFor(API, {})).toBeUndefined();
    expect(networkProxyFor(API, { https_proxy: "", HTTPS_PROXY: PROXY })).toBeUndefined();
  });

  test("may lack a scheme, and bring a user name and a password", () => {
    expect(networkProxyFor(API, { HTTPS_PROXY: "proxy.corp:3128" })?.origin).toBe(PROXY);
    const { origin, authorization = "" } = networkProxyFor(API, { HTTPS_PROXY: "https://me:p%40ss@proxy.corp/" }) ?? {};
    expect(origin).toBe("https://proxy.corp");
    expect(Buffer.from(authorization.replace("Basic ", ""), "base64").toString()).toBe("me:p@ss");
  });

  test("is refused where we do not speak to it, without its password", () => {
    const ask = () => networkProxyFor(API, { HTTPS_PROXY: "socks5://me:secret@proxy.corp" });
    expect(ask).toThrow(PalimpsestError);
    expect(ask).toThrow("The variable https_proxy names no proxy");
    expect(ask).not.toThrow("secret");
  });

  test.each(["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000", "https://127.1.2.3"])(
    "is none for %s, which is this machine",
    (origin) => {
      expect(networkProxyFor(origin, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY })).toBeUndefined();
    },
  );
});

describe("no_proxy", () => {
  test.each([
    ["*", API, true],
    ["api.anthropic.com", API, true],
    ["other.example, API.anthropic.com", API, true],
    ["anthropic.com", API, true],
    [".anthropic.com", API, true],
    ["*.anthropic.com", API, true],
    ["thropic.com", API, false],
    ["api.anthropic.com:443", API, true],
    ["api.anthropic.com:8443", API, false],
    ["example.com api.anthropic.com", API, true],
    ["10.0.0.0/8", "http://10.1.2.3:8000", true],
    ["10.0.0.0/8", "http://11.1.2.3:8000", false],
    ["10.0.0.0/99", "http://10.1.2.3:8000", false],
    ["fd00::/8", "http://[fd00::1]:8000", true],
    ["[fd00::1]:8000", "http://[fd00::1]:8000", true],
    ["fd00::1", "http://[fd00::1]:8000", true],
    ["10.1.2.3:8000", "http://10.1.2.3:8000", true],
    ["", API, false],
  ])("%j of %s: %s", (exceptions, origin, isExcepted) => {
    for (const name of ["no_proxy", "NO_PROXY"]) {
      const proxy = networkProxyFor(origin, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, [name]: exceptions });
      expect(proxy === undefined).toBe(isExcepted);
    }
  });
});
