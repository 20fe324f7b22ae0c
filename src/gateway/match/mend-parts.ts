import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { WireAdapter, WirePart } from "../../core/ports/wire-adapter.ts";

/**
 * The parts of a request that we write, as its provider takes them: where the agent sent a damaged conversation (an aborted call, a lost or doubled
 * result, an empty turn), what is damaged in the part that is shown has stand-ins. The same parts where nothing is, or where providers of this wire take it.
 */
export function mendParts(
  parts: readonly WirePart[],
  said: readonly Message[],
  { tolerates = [], showDamage = (message) => message }: Pick<WireAdapter, "tolerates" | "showDamage">,
): readonly WirePart[] {
  const shown = parts.map((part) => shownMessage(part, said));
  const messages = shown.filter((message) => message !== undefined).map(showDamage);
  if (messages.length < parts.length) return parts;
  if (validateView(messages).every(({ code }) => tolerates.includes(code))) return parts;
  const repaired = repairView(messages);
  if (repaired === messages) return parts;
  const kept = new Set(repaired);
  let next = 0;
  return repaired.flatMap((message) => {
    const place = messages.indexOf(message, next);
    if (place !== -1) {
      next = place + 1;
      return parts[place] ?? [];
    }
    const replaced = messages[next];
    const isReplaced = replaced !== undefined && replaced.role === message.role && !kept.has(replaced);
    const part = isReplaced ? parts[next] : undefined;
    if (isReplaced) next += 1;
    return mendedParts(message, replaced, part);
  });
}

function shownMessage(part: WirePart, said: readonly Message[]): Message | undefined {
  if (part.type === "stand-in") return renderMessage(part.message);
  const message = said[part.index];
  if (message === undefined) return undefined;
  return part.type === "folded" ? renderMessage({ ...message, folds: part.folds }) : message;
}

/** Results that are added to a message without any stand before it, so that it keeps its bytes; a message that was changed otherwise is written anew. */
function mendedParts(
  { role, content }: Message,
  replaced: Message | undefined,
  part: WirePart | undefined,
): readonly WirePart[] {
  const whole: readonly WirePart[] = [{ type: "stand-in", message: { role, content } }];
  if (replaced === undefined || part === undefined) return whole;
  const blocks = blocksOf({ role, content });
  if (isDeepEqual(blocks, blocksOf(replaced))) return [part];
  const results = blocks.filter(isToolResult);
  const isBehindResults = isDeepEqual(blocks.slice(results.length), blocksOf(replaced));
  return isBehindResults ? [{ type: "stand-in", message: { role, content: results } }, part] : whole;
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isDeepEqual(one: readonly Block[], other: readonly Block[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
