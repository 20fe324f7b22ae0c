import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { isEvent } from "../standing/identify-text.ts";
import { withoutInjected } from "../standing/injected-text.ts";
import { oneLine } from "./describe-message.ts";

const REQUEST_CHARACTERS = 120;

/** A command of the agent's own, such as `/mode`: it asks the model for nothing. */
const COMMAND = /^\/[\w:-]+$/;

/** The beginning of what a person asks for in a message, in one line; undefined where the agent or a tool wrote all of it. */
export function describeRequest({ role, content, isSummary }: Message): string | undefined {
  if (role !== "user" || isSummary === true) return undefined;
  const texts = typeof content === "string" ? [content] : content.flatMap(textOf);
  const asked = texts.map((text) => withoutInjected(text).trim()).find(isRequest);
  return asked === undefined ? undefined : oneLine(asked, REQUEST_CHARACTERS);
}

/** The rest of an injected element that quotes its own closing tag, as Codex's collaboration mode does. */
const CLOSING_TAG = /<\/[\w -]{1,40}>$/;

function isRequest(text: string): boolean {
  return text !== "" && !COMMAND.test(text) && !isEvent(text) && !CLOSING_TAG.test(text.slice(-50));
}

function textOf(block: Block): readonly string[] {
  return isKnownBlock(block) && block.type === "text" ? [block.text] : [];
}
