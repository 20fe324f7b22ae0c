import { collectStandIns, isHidden, renderMessage } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { findStanding } from "../../standing/find-standing.ts";
import { serialize } from "../../tokens/serialize.ts";
import { countImages } from "./media.ts";

/** The size of a view in what providers limit besides tokens. */
export interface ViewSize {
  /** Of the messages as JSON in UTF-8. */
  readonly bytes: number;
  /** Including those in tool results. */
  readonly images: number;
}

// A session returns the same frozen view as long as nothing changes.
const knownSizes = new WeakMap<readonly Message[], ViewSize>();
// Keyed by content, which a tagged copy of a message shares with it.
const imageCounts = new WeakMap<object, number>();

/** The size of a view; cached for frozen views, and for each message and block. */
export function measureViewSize(view: readonly Message[]): ViewSize {
  const known = knownSizes.get(view);
  if (known !== undefined) return known;
  let bytes = 2 + Math.max(0, view.length - 1);
  let images = 0;
  for (const message of view) {
    bytes += jsonBytes(message);
    images += imagesOf(message);
  }
  const size: ViewSize = { bytes, images };
  if (Object.isFrozen(view)) knownSizes.set(view, size);
  return size;
}

function imagesOf({ content }: Message): number {
  if (typeof content === "string") return 0;
  const known = imageCounts.get(content);
  if (known !== undefined) return known;
  const images = content.reduce((sum, block) => sum + countImages(block), 0);
  imageCounts.set(content, images);
  return images;
}

/** A message of the view, and how it is treated when the view is too large. */
export interface SizedEntry {
  readonly message: Message;
  readonly logIndex: number;
  /** As the view shows it. */
  readonly shown: Message;
  /** `newest`: the model is working on it. `important`: marked by a person, or binding the agent. `old`: the rest, which is folded first. */
  readonly standing: "old" | "newest" | "important";
}

/** Two steps of a tool loop: a call and its result each. */
const NEWEST_MESSAGES = 4;

/** The visible messages of a log, oldest first. */
export function readEntries(messages: readonly Message[]): readonly SizedEntry[] {
  const standIns = collectStandIns(messages);
  const visible = [...messages.entries()].filter(([, message]) => !isHidden(message, standIns));
  const bound = findStanding(messages);
  const request = lastRequest(visible.map(([, message]) => message));
  return visible.map(([logIndex, message], index) => {
    const isNewest = index >= visible.length - NEWEST_MESSAGES || (index >= request.start && index < request.end);
    // The task itself does not count: pictures that came with it may be hidden like other old ones.
    const isBinding = bound.get(logIndex)?.some(({ kind }) => kind !== "task") === true;
    const standing = message.important === true ? "important" : isNewest ? "newest" : isBinding ? "important" : "old";
    return { message, logIndex, shown: renderMessage(message), standing };
  });
}

/** The person's newest request, which may be far back in a loop of tool calls: neighbouring messages that answer no call. */
function lastRequest(view: readonly Message[]): { readonly start: number; readonly end: number } {
  const last = view.findLastIndex(isRequest);
  const before = view.findLastIndex((message, index) => index < last && !isRequest(message));
  return { start: before + 1, end: last + 1 };
}

function isRequest({ role, content, isSummary, isTruncationMarker }: Message): boolean {
  const isStandIn = isSummary === true || isTruncationMarker === true;
  return role === "user" && !isStandIn && !contentBlocks(content).some(isToolResult);
}

// Messages and blocks are immutable: each is written out once, however often its view is measured.
const byteSizes = new WeakMap<object, number>();

/** Bytes of a message or a block as JSON in UTF-8; measured once per object. */
export function jsonBytes(value: object): number {
  const known = byteSizes.get(value);
  if (known !== undefined) return known;
  const bytes = utf8Bytes(serialize(value));
  byteSizes.set(value, bytes);
  return bytes;
}

/** The UTF-8 size of well-formed text, such as JSON, in which each half of a surrogate pair counts two bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
