import { isIPv4 } from "node:net";

/** Whether a name or address, without brackets, can only mean this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/** Writes a host and a port as in a URL, with brackets around an IPv6 address. */
export function authorityOf(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Reads a host and a port, which is 80 if the text has none. Returns undefined if the text is no authority of a URL. */
export function readAuthority(authority: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, port = "80"] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]/@\s]+))(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  const host = bracketed ?? plain;
  return host === undefined ? undefined : { host: host.toLowerCase(), port: Number(port) };
}
