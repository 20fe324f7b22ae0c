/** The numbers of tokens that a server names. */
export interface NamedTokens {
  readonly prompt?: number;
  readonly reply?: number;
  readonly limit?: number;
}

const NUMBER = "\\d+(?:[,._'’\\u00a0\\u202f ]\\d{3}(?!\\d))*(?:\\.\\d+)?(?:\\s?[kKmM]\\b)?";
const PLACEHOLDERS = /\\\{(prompt|more|reply|limit)\\\}/g;

/** Makes a wording into what reads it: undefined where a text does not have it. */
export function wordingReader(wording: string): (text: string) => NamedTokens | undefined {
  const source = wording
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("'", "['’]")
    .replaceAll("…", "[^]{0,300}?")
    .replaceAll(" ", "\\s+")
    .replace(PLACEHOLDERS, (_, name: string) => `(?<${name}>${NUMBER})`);
  const pattern = new RegExp(source, "i");
  return (text) => {
    const match = pattern.exec(text);
    return match === null ? undefined : namedTokens(match.groups ?? {});
  };
}

function namedTokens({ prompt, more, reply, limit }: Readonly<Record<string, string | undefined>>): NamedTokens {
  return {
    ...(prompt !== undefined && { prompt: readNumber(prompt) + (more === undefined ? 0 : readNumber(more)) }),
    ...(reply !== undefined && { reply: readNumber(reply) }),
    ...(limit !== undefined && { limit: readNumber(limit) }),
  };
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

function readNumber(text: string): number {
  const unit = UNITS[text.slice(-1).toLowerCase()];
  // what separates is a separator of thousands, but a decimal point before "k" and "M"
  const digits = unit === undefined ? text.replace(/\D/g, "") : text.replace(/[^\d.]/g, "");
  return Math.round(Number(digits) * (unit ?? 1));
}
