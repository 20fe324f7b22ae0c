/** A talk through a gateway in which a fact was read early on, until a fold hides it. */
import type { ModelRequest, ModelServer, ScriptedReply, ScriptedToolCall } from "../../src/testing/index.ts";
import type { SdkClient, SdkKind } from "./gateway-client.ts";
import { HIDDEN_FACT, QUERY } from "./hidden-fact.ts";

export const RECALL_WINDOW = 16_000;

/** A gateway without a ledger, which would quote the fact. */
export const RECALLING = {
  recallTool: true,
  windows: { all: RECALL_WINDOW },
  configuration: { strategies: { primary: "truncation" } },
  // Marks move with the newest message: without them, what was sent can be compared.
  cache: { breakpoints: "off" },
} as const;

const LISTING = Array.from({ length: 60 }, (_, pump) =>
  pump === 17
    ? `pump 17: seal number ${HIDDEN_FACT}, last greased in week 31`
    : `pump ${pump}: nothing to report, the valve of hall ${pump % 7} is closed`,
).join("\n");

const MOST_HALLS = 20;

/** Talks until what is sent no longer holds the fact; the next word is the user's. */
export async function talkUntilHidden(
  client: SdkClient,
  server: ModelServer,
  isStreaming: (turn: number) => boolean = (turn) => turn % 2 === 0,
): Promise<void> {
  client.say("Look after the pumps.");
  server.script({ type: "tool-calls", calls: [readFile("pumps.txt", 0)] });
  await client.ask(false);
  client.giveOutputs([LISTING]);
  for (let hall = 0; hall < MOST_HALLS; hall++) {
    server.script({
      type: "text",
      text: `I went through hall ${hall}. ${"All is quiet there, and dry. ".repeat(120)}`,
    });
    await client.ask(isStreaming(hall));
    if (!lastBody(server).includes(HIDDEN_FACT)) return;
    client.say(`Go on with hall ${hall + 1}.`);
  }
  throw new Error("The fact was never hidden.");
}

export function lastBody({ requests }: ModelServer): string {
  return requests.at(-1)?.rawBody ?? "";
}

let serial = 0;

/** Ids as long as those of providers: they occur in one conversation alone. */
export function readFile(path: string, seed = ++serial): ScriptedToolCall {
  return { id: `call_read_${String(seed).padStart(12, "0")}`, name: "read_file", input: { path } };
}

export function recallCall(input: ScriptedToolCall["input"] = { query: QUERY }): ScriptedToolCall {
  serial += 1;
  return { id: `call_recall_${String(serial).padStart(12, "0")}`, name: "recall", input };
}

/** Answers from the prompt, as a model would that knows nothing else. */
export function answerFromPrompt({ rawBody }: ModelRequest): ScriptedReply {
  const known = /seal number (KX-[\w-]+)/.exec(rawBody)?.[1];
  return { type: "text", text: known === undefined ? "I do not know." : `It is ${known}.` };
}

/** The items of a request's conversation, as JSON. */
export function itemsOf({ field }: SdkKind, { body }: ModelRequest): readonly string[] {
  const items: unknown = body[field];
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : [];
}

/** Names of the tools that a request declares, in order. */
export function toolNames({ rawBody }: ModelRequest): readonly string[] {
  const { tools = [] }: { tools?: readonly ToolShape[] } = JSON.parse(rawBody);
  return tools.flatMap(({ functionDeclarations, function: named, name = named?.name }) =>
    functionDeclarations === undefined ? [name ?? ""] : functionDeclarations.map((each) => each.name ?? ""),
  );
}

interface ToolShape {
  readonly name?: string;
  readonly function?: { readonly name?: string };
  readonly functionDeclarations?: readonly { readonly name?: string }[];
}
