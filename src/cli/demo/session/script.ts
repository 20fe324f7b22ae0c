import type { Block, ImageBlock, Message } from "../../../core/message/message.ts";
import { BASE64, HEX, seededRandom } from "./random.ts";

/** One tool call together with what it returned. */
export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly isError: boolean;
}

/** What happens next. Neighbouring steps of one side become one message, as in a real log. */
export type Step =
  | { readonly type: "person"; readonly say: string; readonly image?: ImageBlock }
  | { readonly type: "think"; readonly thought: string }
  | { readonly type: "agent"; readonly say: string; readonly calls: readonly Call[] };

/** The person speaks; right after an agent's calls, this is a word thrown in while they ran. */
export function person(say: string, image?: ImageBlock): Step {
  return { type: "person", say, ...(image && { image }) };
}

/** The agent reasons before its next step. */
export function think(thought: string): Step {
  return { type: "think", thought };
}

/** The agent speaks (unless `say` is empty) and runs its calls in parallel; without calls, its turn ends. */
export function agent(say: string, ...calls: readonly (Call | readonly Call[])[]): Step {
  return { type: "agent", say, calls: calls.flat() };
}

const BEGIN_MS = Date.UTC(2026, 8, 14, 7, 41, 12);

/** Plays the steps: ids, tool ids, signatures and times follow from the order alone. */
export function record(steps: readonly Step[]): readonly Message[] {
  const turns: { readonly role: Message["role"]; readonly blocks: Block[] }[] = [];
  for (const { role, blocks } of steps.flatMap(play)) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  const random = seededRandom("pauses");
  let ts = BEGIN_MS;
  return turns.map(({ role, blocks }, index) => {
    const [first] = blocks;
    const isPerson = role === "user" && first?.type !== "tool_result";
    ts += isPerson ? random.integer(240_000, 2_400_000) : random.integer(1_500, 64_000);
    const id = `m-${String(index + 1).padStart(3, "0")}`;
    const content = isPerson && blocks.length === 1 && first && "text" in first ? String(first.text) : blocks;
    return { role, content, id, ts };
  });
}

interface Part {
  readonly role: Message["role"];
  readonly blocks: readonly Block[];
}

function play(step: Step, position: number): readonly Part[] {
  const random = seededRandom(`step ${position}`);
  switch (step.type) {
    case "person":
      return [{ role: "user", blocks: [...(step.image ? [step.image] : []), textBlock(step.say)] }];
    case "think":
      return [{ role: "assistant", blocks: [reasoningBlock(step.thought, random.word(96, BASE64))] }];
    case "agent": {
      const calls = step.calls.map((call, index) => ({
        ...call,
        id: `call_${position}_${index}_${random.word(8, HEX)}`,
      }));
      const uses = calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
      const spoken: Part = { role: "assistant", blocks: [...(step.say ? [textBlock(step.say)] : []), ...uses] };
      return calls.length === 0 ? [spoken] : [spoken, { role: "user", blocks: calls.map(resultBlock) }];
    }
  }
}

function textBlock(prose: string): Block {
  const block = { type: "text", text: flow(prose) };
  return block;
}

function reasoningBlock(prose: string, signature: string): Block {
  const block = { type: "reasoning", text: flow(prose), signature };
  return block;
}

function resultBlock({ id, output, isError }: Call & { readonly id: string }): Block {
  const block = { type: "tool_result", tool_use_id: id, content: output, ...(isError && { is_error: true }) };
  return block;
}

/** Lets the storyline wrap its prose: lines join into paragraphs; a blank line or a list item starts a new line. */
function flow(wrapped: string): string {
  const lines = wrapped.split("\n").map((line) => line.trim());
  return lines.reduce((text, line) => {
    const startsAnew = line === "" || text.endsWith("\n") || /^(- |\d\. )/.test(line);
    return `${text}${startsAnew ? "\n" : " "}${line}`;
  });
}
