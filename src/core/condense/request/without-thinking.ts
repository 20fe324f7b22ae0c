const OPENING = /<think(?:ing)?>/;
const CLOSING = /<\/think(?:ing)?>/;
/** A closing tag on a line of its own. */
const LONE_CLOSING = /^[ \t]*<\/think(?:ing)?>[ \t]*$/m;

/**
 * A reply without the reasoning that some models send as text at its beginning, which must never be kept as a summary. Empty where
 * the reasoning never ends.
 */
export function withoutThinking(reply: string): string {
  const opening = OPENING.exec(reply);
  if (opening !== null && /\S/.test(reply.slice(0, opening.index))) return withoutUnopened(reply, opening.index);
  if (opening === null) return withoutUnopened(reply, reply.length);
  const closing = CLOSING.exec(reply);
  return closing === null ? "" : after(reply, closing);
}

/** Removes reasoning without an opening tag: with some models that tag is part of the prompt, and they write only the closing one. */
function withoutUnopened(reply: string, firstOpening: number): string {
  const closing = LONE_CLOSING.exec(reply);
  return closing === null || closing.index > firstOpening ? reply : after(reply, closing);
}

function after(reply: string, { index, 0: tag }: RegExpExecArray): string {
  return reply.slice(index + tag.length).trim();
}
