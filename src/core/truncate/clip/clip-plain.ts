import { cutAfter, cutBefore } from "../../text/clip-cut.ts";
import { clipNotice } from "../stand-in.ts";
import { type Clip, fitToBudget } from "./clip-fit.ts";

/** The beginning says what a text is; the end is where logs and errors say how it went. */
const HEAD_SHARE = 0.6;
/** The share of the head or tail that may be given up so that it ends at a line. */
const LINE_SHARE = 0.2;
const MAX_LINE_CHARACTERS = 400;

/** Clips a text to its head and tail around the notice, or to the notice alone where there is no room for more. */
export function clipPlain(text: string, clip: Clip): string {
  const notice = clipNotice(clip);
  const render = (characters: number) => joinAround(headAndTail(text, characters), notice);
  return fitToBudget({ ...clip, render, totalCharacters: text.length });
}

export interface HeadAndTail {
  readonly head: string;
  readonly tail: string;
  /** The tail starts a line. */
  readonly tailStartsLine: boolean;
}

/** The first and the last part of a text, at most `characters` together, cut at lines where there is one near. */
export function headAndTail(text: string, characters: number): HeadAndTail {
  const headEnd = headEndNear(text, Math.floor(characters * HEAD_SHARE));
  const tailStart = tailStartNear(text, text.length - Math.floor(characters * (1 - HEAD_SHARE)));
  return {
    head: text.slice(0, headEnd),
    tail: text.slice(tailStart),
    tailStartsLine: text[tailStart - 1] === "\n",
  };
}

/** Head, notice and tail as one text; without head and tail it is the notice alone. */
export function joinAround({ head, tail, tailStartsLine }: HeadAndTail, notice: string): string {
  const before = head === "" || head.endsWith("\n") ? "" : "…";
  const after = tail === "" ? "" : tailStartsLine ? "\n" : "…";
  return `${head}${before}${notice}${after}${tail}`;
}

function headEndNear(text: string, end: number): number {
  const slack = lineSlack(end);
  const lineEnd = text.slice(end - slack, end).lastIndexOf("\n");
  return lineEnd < 0 ? cutBefore(text, end) : end - slack + lineEnd + 1;
}

function tailStartNear(text: string, start: number): number {
  const slack = lineSlack(text.length - start);
  const lineEnd = text.slice(start, start + slack).indexOf("\n");
  return lineEnd < 0 ? cutAfter(text, start) : start + lineEnd + 1;
}

function lineSlack(characters: number): number {
  return Math.min(MAX_LINE_CHARACTERS, Math.floor(characters * LINE_SHARE));
}
