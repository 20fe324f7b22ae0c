import { BlockList, isIP, isIPv6 } from "node:net";
import { PalimpsestError } from "../../core/errors.ts";
import { isLoopback } from "./loopback.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy of the network that connections to an upstream go through. */
export interface NetworkProxy {
  readonly origin: string;
  /** The header that is sent to it: the user name and password of its URL. */
  readonly authorization: string | undefined;
}

/**
 * The proxy that the environment names for an origin: `https_proxy` or `http_proxy`, unless `no_proxy` covers it, each also in
 * capitals. None is ever asked for this machine itself.
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

/** Where both are set, programs agree on the one in small letters. */
function read(environment: Environment, name: string): string {
  return (environment[name] ?? environment[name.toUpperCase()] ?? "").trim();
}

interface Target {
  readonly host: string;
  readonly port: string;
}

/** `host`, `.host`, `*.host`, an address or `10.0.0.0/8`, each but the last with a port or without; `*` covers everything. */
function covers(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInSubnet(host, entry);
  const [, bracketed, plain, only = port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (isIPv6(entry) ? entry : (bracketed ?? plain ?? "")).toLowerCase().replace(/^\*?\./, "");
  return name !== "" && only === port && (host === name || host.endsWith(`.${name}`));
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
    // its value is not repeated: it may hold a password
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
