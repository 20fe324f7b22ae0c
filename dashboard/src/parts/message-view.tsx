import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { counted, shortNumber } from "../model/format.ts";
import { type MessagePart, messageParts, type ReadMessage } from "../model/message-parts.ts";
import { kindName, type ShownRow, speakerOf } from "../model/strata-cells.ts";
import type { StrataSource } from "../strata/strata-source.ts";
import { TextBlock } from "./small-parts.tsx";

/** The blocks of a message that can be rows of the picture. */
export interface BlockToggle {
  readonly count: number;
  readonly areShown: boolean;
  readonly onToggle: () => void;
}

/** Undefined where a message has one block alone. */
export function blockToggle(source: StrataSource, { index, blockCount }: ShownRow): BlockToggle | undefined {
  if (blockCount === undefined) return undefined;
  const areShown = source.isExpanded(index);
  return { count: blockCount, areShown, onToggle: () => void source.expand(source.rowOf(index), !areShown) };
}

interface MessageFrameProps {
  readonly row: ShownRow;
  readonly blocks: BlockToggle | undefined;
  /** What is said of it behind who said it, and how long it is. */
  readonly note: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A message that was opened: it takes the focus, and can be closed. */
export function MessageFrame({ row, blocks, note, onClose, children }: MessageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once, not after the next frame: by then a person may have pressed a key elsewhere.
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" aria-label={`Message ${row.index + 1}`}>
      <div class="row ends-apart">
        <h2 ref={heading} tabIndex={-1}>
          Message {row.index + 1}
        </h2>
        <span class="muted">
          {speakerOf(row)}, {kindName(row)}, {counted(row.tokens, "token")}
          {note}
        </span>
        <span class="row">
          {blocks !== undefined && (
            <button type="button" aria-pressed={blocks.areShown} onClick={blocks.onToggle}>
              Its {blocks.count} blocks as rows
            </button>
          )}
          <button type="button" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      {children}
    </section>
  );
}

/** Whether what stands for a message is sent, or would be for another window. */
export type Sending = "is sent" | "would be sent";

interface MessagePartsProps {
  readonly message: ReadMessage;
  readonly sending: Sending;
  /** Whether all of it is hidden behind a summary or a marker. */
  readonly isHidden: boolean;
  /** The block whose row was opened. @default none: the message was */
  readonly block?: number | undefined;
}

/** The parts of a message, each beside what is sent in its place. */
export function MessageParts({ message, sending, isHidden, block }: MessagePartsProps) {
  return (
    <>
      {messageParts(message).map((part, index) => (
        <div class={index === block ? "beside current" : "beside"} key={index}>
          <div>
            <h3>{isHidden || part.standIn !== undefined ? `${part.title}, the original` : part.title}</h3>
            <TextBlock text={part.text} label={`${part.title}, the original`} />
          </div>
          {part.standIn !== undefined && <StandIn standIn={part.standIn} sending={sending} />}
        </div>
      ))}
    </>
  );
}

interface StandInProps {
  readonly standIn: NonNullable<MessagePart["standIn"]>;
  readonly sending: Sending;
}

function StandIn({ standIn, sending }: StandInProps) {
  return (
    <div>
      <h3>
        {sending === "is sent" ? "Sent" : "Would be sent"} in its place ({shortNumber(standIn.hiddenTokens)} tokens
        hidden)
      </h3>
      <TextBlock text={standIn.text} label={`What ${sending} in its place`} />
    </div>
  );
}

interface StandInsProps {
  readonly title: string;
  readonly standIns: readonly ReadMessage[];
  readonly sending: Sending;
  readonly children?: ComponentChildren;
}

/** The summary or marker that whole messages are hidden behind. */
export function StandIns({ title, standIns, sending, children }: StandInsProps) {
  return (
    <div>
      <h3>{title}</h3>
      {children}
      {standIns.flatMap(messageParts).map((part, index) => (
        <TextBlock key={index} text={part.text} label={`What ${sending} in its place`} />
      ))}
    </div>
  );
}
