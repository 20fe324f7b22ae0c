import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { asArray, asText, fieldAt } from "../../../src/core/json/read-json.ts";

/** A server of the fifth wire: it takes only dialogues in order, and none that are too long. */
export interface PlainServer {
  readonly url: string;
  /** The bodies that it took, the oldest first. */
  readonly taken: readonly string[];
  /** What it said of those that it refused. */
  readonly refused: readonly string[];
}

export async function startPlainServer(mostCharacters: number): Promise<PlainServer> {
  const taken: string[] = [];
  const refused: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const fault = body.length > mostCharacters ? "The dialogue is too long." : faultOf(body);
    (fault === undefined ? taken : refused).push(fault ?? body);
    response.writeHead(fault === undefined ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify(fault === undefined ? replyTo(body) : { error: { message: fault } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, taken, refused };
}

function replyTo(body: string): object {
  return { says: "Very well.", spent: { read: Math.ceil(body.length / 4), written: 3 } };
}

/** What the server has against a body; undefined where it takes it. */
export function faultOf(body: string): string | undefined {
  const lines = asArray(fieldAt(JSON.parse(body), "dialogue", "lines"));
  if (fieldAt(lines[0], "from") !== "human") return "A human speaks first.";
  for (const [index, line] of lines.entries()) {
    const asked = asArray(fieldAt(line, "asks")).map((ask) => fieldAt(ask, "key"));
    const answered = asArray(fieldAt(lines[index + 1], "answers")).map((answer) => fieldAt(answer, "key"));
    if (asked.join() !== answered.join()) return `Line ${index} asks for ${asked}, and the next answers ${answered}.`;
    const isSilent = (asText(fieldAt(line, "says")) ?? "").trim() === "" && fieldAt(line, "from") === "human";
    if (isSilent) return `Line ${index} says nothing.`;
  }
  return undefined;
}
