import type { Piece, SentMessage, Writing } from "../splice/index.ts";
import type { ResponsesGroup, ResponsesReading } from "./group-items.ts";

/** The items to send. Between two stand-ins they are in the order of the request: an output may come later than other items of its message. */
export function arrange(
  messages: readonly SentMessage<ResponsesGroup>[],
  { conversation, slices }: Writing<ResponsesReading>,
): readonly Piece[] {
  const pieces: Piece[] = [];
  const standing = placeStanding(conversation.groups, messages);
  let run: Piece[] = [];
  const addStanding = (position: number): void => {
    for (const item of standing.get(position) ?? []) run.push({ item, text: slices.itemText(item) });
  };
  const endRun = (): void => {
    for (const piece of run.toSorted((one, other) => (one.item ?? 0) - (other.item ?? 0))) pieces.push(piece);
    run = [];
  };
  for (const [position, sent] of messages.entries()) {
    addStanding(position);
    if (sent.group === undefined) {
      endRun();
      pieces.push(...sent.pieces);
    } else for (const piece of sent.pieces) run.push(piece);
  }
  addStanding(messages.length);
  endRun();
  return pieces;
}

/**
 * The standing items by the position of the message before which they are sent. An item whose own message is hidden follows the last shown
 * message before it, so that it never comes between a call and its output.
 */
function placeStanding(
  groups: readonly ResponsesGroup[],
  messages: readonly SentMessage[],
): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>();
  const shownAt = new Map(
    messages.flatMap(({ part }, position) => (part.type === "stand-in" ? [] : [[part.index, position]])),
  );
  let position = 0;
  for (const [owner, { standing }] of groups.entries()) {
    position = Math.max(position, (shownAt.get(owner) ?? -1) + 1);
    if (standing.length === 0) continue;
    const atPosition = places.get(position) ?? [];
    atPosition.push(...standing);
    places.set(position, atPosition);
  }
  return places;
}
