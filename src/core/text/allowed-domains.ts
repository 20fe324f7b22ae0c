/**
 * Where a text may have URLs: at its `beginning` alone; `anywhere`, as in a command; anywhere or as a whole `address`, with a scheme or
 * without; anywhere or as the name of a `host`.
 */
export type UrlScope = "beginning" | "anywhere" | "address" | "host";

/** URLs inside a command, also with backward slashes; the scheme may follow another, as in `git+https://`. */
const URL_PART = /(?<![a-z0-9])(?:https?:[\\/]+|(?:ftp|wss?):\/\/)[^\s"'`<>|;()]*/gi;
const WHOLE_URL = /^(?:https?|ftp|wss?):/i;

/**
 * The first URL of a text whose host is neither one of the domains nor a subdomain; undefined where there is none. A URL whose host cannot be
 * read counts as foreign. This stops an agent from requesting what it names openly; only a proxy can stop redirects and hidden addresses.
 */
export function findForeignUrl(
  text: string,
  allowedDomains: readonly string[],
  scope: UrlScope = "beginning",
): string | undefined {
  const domains = allowedDomains.flatMap((domain) => readDomain(domain) ?? []);
  return candidatesOf(text, scope).find((url) => {
    const host = hostOf(url);
    return host === undefined || !domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  });
}

/** A domain of the list, normalized like the host of a URL; undefined where the entry is no domain. */
export function readDomain(entry: string): string | undefined {
  if (/[\s/\\:@?#*]/.test(entry) || entry.startsWith(".")) return undefined;
  return hostOf(`http://${entry}`);
}

function candidatesOf(text: string, scope: UrlScope): readonly string[] {
  switch (scope) {
    case "beginning":
      return leadingUrl(text);
    case "address":
    case "host":
      return [...candidatesOf(text, "anywhere"), ...bareAddress(text, scope)];
    case "anywhere": {
      // A shell removes quotes and backslashes inside a URL.
      const forms = [text, text.replace(/["'`]|\\(?![\\/])/g, "")];
      return [...leadingUrl(text), ...forms.flatMap((form) => Array.from(form.matchAll(URL_PART), ([url]) => url))];
    }
  }
}

/** A file name, which is no host: a page of a site may be given by its file name alone. */
const FILE_ENDING = /^[^/:]+\.(?:html?|json|xml|txt|css|js|png|jpe?g|gif|svg|pdf|csv|ya?ml)(?:[?#]|$)/i;
/** A scheme: two letters or more (a drive has one), with no port behind the colon. */
const SCHEME = /^[a-z][a-z0-9+.-]+:(?!\d)/i;

/** The URL that a client makes of an address without a scheme; none for a path on the same host. */
function bareAddress(text: string, scope: "address" | "host"): readonly string[] {
  const joined = text.replace(/[\t\r\n]/g, "").trim();
  const isRelative = joined === "" || /^(?:[/\\](?![/\\])|[.?#])/.test(joined);
  if (isRelative || SCHEME.test(joined)) return [];
  const authority = joined.replace(/^[/\\]{2,}/, "");
  const first = authority.split(/[/\\?#]/, 1)[0] ?? "";
  const isHost = scope === "host" || authority !== joined || (/[.:]/.test(first) && !FILE_ENDING.test(authority));
  return isHost || /^localhost$/i.test(first) ? [`http://${authority}`] : [];
}

/** The URL at the beginning of a text, without tabs and line breaks, as URL parsers read it. Where that is not valid, the first word. */
function leadingUrl(text: string): readonly string[] {
  const joined = text.replace(/[\t\r\n]/g, "").trimStart();
  if (!WHOLE_URL.test(joined)) return [];
  return [hostOf(joined) === undefined ? (text.trimStart().split(/\s/, 1)[0] ?? joined) : joined];
}

function hostOf(url: string): string | undefined {
  // URL parsers disagree whether a backslash ends the host or is part of a user name before it.
  const authority =
    url
      .slice(url.indexOf(":") + 1)
      .replace(/^[\\/]+/, "")
      .split(/[/?#]/, 1)[0] ?? "";
  if (authority.includes("\\") && authority.includes("@")) return undefined;
  try {
    const { hostname } = new URL(url);
    return hostname === "" ? undefined : hostname.replace(/\.$/, "");
  } catch {
    return undefined;
  }
}
