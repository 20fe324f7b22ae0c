/**
 * Where URLs are looked for: a text that begins with one, a command that holds some anywhere, an address that is one, with a scheme or without, or
 * holds some, or a host's name.
 */
export type UrlScope = "beginning" | "anywhere" | "address" | "host";

/** URLs inside a command, also with backward slashes; the scheme may follow another, as in `git+https://`. */
const URL_PART = /(?<![a-z0-9])(?:https?:[\\/]+|(?:ftp|wss?):\/\/)[^\s"'`<>|;()]*/gi;
const WHOLE_URL = /^(?:https?|ftp|wss?):/i;

/**
 * The first URL of a text whose host is neither one of the domains nor below one; undefined where there is none. A URL whose host cannot be read is not known to be
 * allowed. It keeps an agent from what it plainly says; addresses without a scheme in other texts, and redirects, are for a proxy to stop.
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

/** The host name of an entry of a list of domains, as hosts of URLs are written; undefined where it is none. */
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
      // A shell joins what quotes and backslashes part.
      const forms = [text, text.replace(/["'`]|\\(?![\\/])/g, "")];
      return [...leadingUrl(text), ...forms.flatMap((form) => Array.from(form.matchAll(URL_PART), ([url]) => url))];
    }
  }
}

/** Endings of files that are no domains: a page of a site may be named without its folder. */
const FILE_ENDING = /^[^/:]+\.(?:html?|json|xml|txt|css|js|png|jpe?g|gif|svg|pdf|csv|ya?ml)(?:[?#]|$)/i;
/** A scheme of two letters or more that no port follows; a drive has one. */
const SCHEME = /^[a-z][a-z0-9+.-]+:(?!\d)/i;

/** The text as the URL that a client makes of it where it has no scheme; none for a path on the same host. */
function bareAddress(text: string, scope: "address" | "host"): readonly string[] {
  const joined = text.replace(/[\t\r\n]/g, "").trim();
  const isRelative = joined === "" || /^(?:[/\\](?![/\\])|[.?#])/.test(joined);
  if (isRelative || SCHEME.test(joined)) return [];
  const authority = joined.replace(/^[/\\]{2,}/, "");
  const first = authority.split(/[/\\?#]/, 1)[0] ?? "";
  const isHost = scope === "host" || authority !== joined || (/[.:]/.test(first) && !FILE_ENDING.test(authority));
  return isHost || /^localhost$/i.test(first) ? [`http://${authority}`] : [];
}

/** The text as a reader of URLs takes it: without tabs and line breaks. Where that is none, its first word, as in a sentence. */
function leadingUrl(text: string): readonly string[] {
  const joined = text.replace(/[\t\r\n]/g, "").trimStart();
  if (!WHOLE_URL.test(joined)) return [];
  return [hostOf(joined) === undefined ? (text.trimStart().split(/\s/, 1)[0] ?? joined) : joined];
}

function hostOf(url: string): string | undefined {
  // Readers of URLs disagree whether the backslash ends the host or is part of a user's name before it.
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
