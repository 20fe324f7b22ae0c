import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { allBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { WireAdapter, WirePart } from "../../core/ports/wire-adapter.ts";

/**
 * Repairs the parts of a body that we write. Where the agent sent a damaged conversation (an aborted call, a lost or doubled result, an empty turn),
 * stand-ins replace the damaged messages that are shown. Returns the same parts where none is damaged, or where providers of this wire tolerate it.
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

/**
 * The parts of a repaired message. If only tool results were added in front of it, they become a part of their own, and the message keeps its bytes;
 * otherwise the whole message is written anew.
 */
function mendedParts(
  { role, content }: Message,
  replaced: Message | undefined,
  part: WirePart | undefined,
): readonly WirePart[] {
  const whole: readonly WirePart[] = [{ type: "stand-in", message: { role, content } }];
  if (replaced === undefined || part === undefined) return whole;
  const blocks = allBlocks(content);
  if (isDeepEqual(blocks, allBlocks(replaced.content))) return [part];
  const results = blocks.filter(isToolResult);
  const isBehindResults = isDeepEqual(blocks.slice(results.length), allBlocks(replaced.content));
  return isBehindResults ? [{ type: "stand-in", message: { role, content: results } }, part] : whole;
}

function isDeepEqual(one: readonly Block[], other: readonly Block[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
