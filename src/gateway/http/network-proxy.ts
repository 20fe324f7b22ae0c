import { BlockList, isIP, isIPv6 } from "node:net";
import { PalimpsestError } from "../../core/errors.ts";
import { isLoopback } from "./loopback.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An HTTP proxy of the network, through which connections to an upstream go. */
export interface NetworkProxy {
  readonly origin: string;
  /** The value of the header `proxy-authorization`; undefined if the proxy's URL has no user name. */
  readonly authorization: string | undefined;
}

/**
 * Returns the proxy for connections to an origin: that of `https_proxy` or `http_proxy`, unless `no_proxy` covers the origin. Each name may also
 * be in capitals. Returns undefined for an origin on this machine. Throws if the variable holds no URL of a proxy.
 */
export function networkProxyFor(origin: string, environment: Environment): NetworkProxy | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  const value = read(environment, name);
  if (value === "") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const target = { host, port: port || (protocol === "https:" ? "443" : "80") };
  const exceptions = read(environment, "no_proxy").split(/[\s,]+/);
  if (isLoopback(host) || exceptions.some((entry) => covers(entry, target))) return undefined;
  return readProxy(name, value);
}

/** Reads a variable. If it is set in small letters and in capitals, small letters win, as in other programs. */
function read(environment: Environment, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? "").trim();
}

interface Target {
  readonly host: string;
  readonly port: string;
}

/**
 * Whether an entry of `no_proxy` covers the target. An entry is `host`, `.host`, `*.host` or an address, each with or without a port; a subnet
 * such as `10.0.0.0/8`; or `*`, which covers everything.
 */
function covers(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInSubnet(host, entry);
  const [, bracketed, plain, coveredPort = port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (isIPv6(entry) ? entry : (bracketed ?? plain ?? "")).toLowerCase().replace(/^\*?\./, "");
  return name !== "" && coveredPort === port && (host === name || host.endsWith(`.${name}`));
}

function isInSubnet(host: string, entry: string): boolean {
  const [network = "", prefix = ""] = entry.split("/");
  const version = isIP(network);
  if (version === 0 || isIP(host) !== version || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const subnet = new BlockList();
  subnet.addSubnet(network, Number(prefix), family);
  return subnet.check(host, family);
}

function readProxy(name: string, value: string): NetworkProxy {
  // a scheme may be left out, as in proxy.example:3128
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // the error does not quote the value, which may hold a password
    throw new PalimpsestError(
      "invalid-configuration",
      `The variable ${name} names no proxy that starts with http:// or https://. Correct it, or list the upstream's host in no_proxy.`,
    );
  }
  const { origin, username, password } = url;
  if (username === "") return { origin, authorization: undefined };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { origin, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}
