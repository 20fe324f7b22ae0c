import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { timeAgo, wholeNumber } from "../model/format.ts";
import { textPart } from "../model/safe-text.ts";
import type { Resource } from "./use-resource.ts";

/** A word of ours, explained where it stands. */
export function Explain({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <details class="explain">
      <summary>{title}</summary>
      <p>{children}</p>
    </details>
  );
}

/** How long ago something was. A time that is none, as in a session that somebody wrote by hand, is said to be none. */
export function Ago({ at }: { readonly at: number }) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>at no time</span>;
  return <time dateTime={time.toISOString()}>{timeAgo(at, Date.now())}</time>;
}

/** What it holds, or why that cannot be shown: nothing that a gateway sends leaves an empty page. */
export function Guarded({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return <Failure message={`This cannot be shown: ${error instanceof Error ? error.message : String(error)}`} />;
}

/** A gateway that takes longer is waited for, and the page says so. */
const SLOW_MS = 5_000;

function Loading() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="loading" role={isSlow ? "status" : undefined}>
      Loading…{isSlow && " The gateway takes long to answer. The page goes on as soon as it does."}
    </p>
  );
}

interface LoadedProps<Value> {
  readonly of: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** What is loaded, or why it is not. */
export function Loaded<Value>({ of, children }: LoadedProps<Value>) {
  if (of.type === "loading") return <Loading />;
  if (of.type === "failed") return <Failure message={of.message} />;
  return <>{children(of.value)}</>;
}

export function Failure({ message }: { readonly message: string }) {
  return (
    <p class="notice error" role="alert">
      {textPart(message, 2_000).text}
    </p>
  );
}

const FIRST_CHARACTERS = 6_000;
const MORE_FACTOR = 8;

interface TextBlockProps {
  readonly text: string;
  readonly label: string;
  /** The first character that is marked, with all behind it. @default none is */
  readonly markedFrom?: number;
}

/** Text of others: a text node, folded where it is long. */
export function TextBlock({ text, label, markedFrom = text.length }: TextBlockProps) {
  const [limit, setLimit] = useState(FIRST_CHARACTERS);
  useEffect(() => setLimit(FIRST_CHARACTERS), [text]);
  const part = textPart(text, limit);
  return (
    <div class="text-block">
      <pre tabIndex={0} role="group" aria-label={label} dir="ltr">
        {part.text === "" ? " " : textPart(text.slice(0, markedFrom), limit).text}
        {markedFrom < Math.min(limit, text.length) && (
          <mark>{textPart(text.slice(markedFrom), limit - markedFrom).text}</mark>
        )}
      </pre>
      {part.leftCharacters > 0 && (
        <button type="button" class="plain" onClick={() => setLimit(limit * MORE_FACTOR)}>
          Show more ({wholeNumber(part.leftCharacters)} characters are folded)
        </button>
      )}
    </div>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question that must be answered first. Escape is no. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The browser gives the focus back only to what is there when a dialog closes by itself.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-label={title} onCancel={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
