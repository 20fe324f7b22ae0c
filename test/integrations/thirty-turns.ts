import type { Session } from "../../src/engine/session/session.ts";
import { type ModelRequest, type ModelServer, type ScriptedReply, startModelServer } from "../../src/testing/index.ts";

/** The agent that every integration is tried with: it reads the logs of thirty rooms, one after the other, in a small window. */
export const ROOMS = 30;
export const CONTEXT_WINDOW = 32_000;
export const MODEL_ID = "claude-haiku-4-5";
export const SYSTEM = "You are a careful inspector. Read the log of every room, then report.";
export const TASK = `Read the logs of the rooms 1 to ${ROOMS} with read_room, one by one, then report.`;
export const FINAL_REPLY = "All rooms are read.";
export const TOOL_NAME = "read_room";
export const TOOL_DESCRIPTION = "Reads the log of one room.";

/** What only the log of this room says. */
export function factOf(room: number): string {
  return `The seal of room ${room} is ${["amber", "cobalt", "ivory", "olive", "scarlet"][room % 5]}-${7_000 + room * 37}.`;
}

/** About 3,000 tokens, with the room's fact in the middle. */
export function roomLog(room: number): string {
  const lines = Array.from({ length: 170 }, (_, index) => {
    const reading = (room * 7_919 + index * 104_729) % 9_973;
    return `${room}.${index} pump ${index % 13} gate ${(index * room) % 17}: pressure ${reading}, drift ${reading % 89}`;
  });
  return lines.toSpliced(85, 0, factOf(room)).join("\n");
}

export interface ThirtyTurns {
  readonly server: ModelServer;
  /** How far it came: the rooms whose logs the model was sent. */
  roomsRead(): number;
}

export interface ThirtyTurnsOptions {
  /** What the SDK under test calls the tool when it offers it. @default TOOL_NAME */
  readonly toolName?: string;
  /** The reply to a request that is no turn of the agent, such as one for a summary. @default none is */
  readonly replyAside?: (request: ModelRequest) => ScriptedReply | undefined;
}

/** Starts the scripted model: it asks for one room after the other, whatever it is sent, and then says that it is done. */
export async function startThirtyTurns(options: ThirtyTurnsOptions = {}): Promise<ThirtyTurns> {
  const { toolName = TOOL_NAME, replyAside } = options;
  let asked = 0;
  const reply = (request: ModelRequest): ScriptedReply => {
    const aside = replyAside?.(request);
    if (aside !== undefined) return aside;
    asked += 1;
    if (asked > ROOMS) return { type: "text", text: FINAL_REPLY };
    const call = { id: `toolu_room_${asked}`, name: toolName, input: { room: asked } };
    return { type: "tool-calls", text: `Now room ${asked}.`, calls: [call] };
  };
  const server = await startModelServer({ contextWindow: CONTEXT_WINDOW, reply });
  return { server, roomsRead: () => Math.max(0, asked - 1) };
}

/** How a run went, in the numbers that all integrations are compared by. */
export interface RunFigures {
  readonly roomsRead: number;
  readonly refusals: number;
  readonly factsInLastPrompt: number;
  readonly factsFound: number;
  readonly tokensSent: number;
}

export async function figuresOf({ server, roomsRead }: ThirtyTurns, session?: Session): Promise<RunFigures> {
  const requests = server.requests.filter(({ operation }) => operation === "generate");
  const visible = factsIn(requests.findLast(({ outcome }) => outcome === "answered"));
  return {
    roomsRead: roomsRead(),
    refusals: requests.filter(({ outcome }) => outcome === "refused").length,
    factsInLastPrompt: visible.length,
    factsFound: session === undefined ? visible.length : await foundCount(session, visible),
    tokensSent: requests
      .filter(({ outcome }) => outcome === "answered")
      .reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  };
}

/** Prints a run as a row of the tables in docs/guides/integrations.md. */
export function printFigures(name: string, ended: string, figures: RunFigures): void {
  const { roomsRead, refusals, factsInLastPrompt, factsFound, tokensSent } = figures;
  const cells = [name, ended, roomsRead, refusals, factsInLastPrompt, factsFound, tokensSent.toLocaleString("en-US")];
  console.log(`| ${cells.join(" | ")} |`);
}

function factsIn(request: ModelRequest | undefined): readonly number[] {
  const body = request?.rawBody ?? "";
  return rooms().filter((room) => body.includes(factOf(room)));
}

/** The sum of the prompts that a session knows by their reports: with every report observed, that of the answered requests. */
export async function reportedTokens(session: Session): Promise<number> {
  const events = await session.events();
  return events.reduce((sum, event) => {
    if (event.type !== "request" || event.usage === undefined) return sum;
    const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = event.usage;
    return sum + inputTokens + cacheReadTokens + cacheWriteTokens;
  }, 0);
}

/** Facts that the model sees, or that recall gives it word for word. */
async function foundCount(session: Session, visible: readonly number[]): Promise<number> {
  const isFound = await Promise.all(
    rooms().map(async (room) => {
      if (visible.includes(room)) return true;
      const hits = await session.recall(`seal of room ${room}`);
      return hits.some(({ text }) => text.includes(factOf(room)));
    }),
  );
  return isFound.filter(Boolean).length;
}

export function rooms(): readonly number[] {
  return Array.from({ length: ROOMS }, (_, index) => index + 1);
}
