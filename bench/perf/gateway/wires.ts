/**
 * What the adapter of each API takes to read a request that continues a conversation, and to write it again with folds. As in a gateway,
 * items that came before are the same objects, and a text is made only of the items that are sent.
 */
import type { Block, BlockFold } from "palimpsest";
import { type RawRequest, WIRE_ADAPTERS, type WireAdapter, type WirePart, type WireRequest } from "palimpsest/gateway";
import { quantile, ratio } from "../stores/times.ts";
import { printTarget } from "./report.ts";
import { stepAt, WIRES, type WireBodies } from "./wire-bodies.ts";

const BODY_BYTES = 400_000;
const OUTPUT_BYTES = 1_500;
/** A conversation that has gone on for so many requests makes place for another one. */
const REQUESTS_PER_CONVERSATION = 32;
/** Of the messages: hidden behind a summary, and of the others those whose results are cleared. */
const [HIDDEN_SHARE, CLEARED_SHARE] = [0.8, 0.5];
/** Of Anthropic's time, at most. */
const MOST_RATIO = 1.3;

interface WireTimes {
  readonly wire: WireBodies;
  /** In milliseconds. */
  readonly unfolded: number[];
  readonly folded: number[];
}

export function benchWires(rounds: number): void {
  const times = WIRES.map((wire): WireTimes => ({ wire, unfolded: [], folded: [] }));
  // The first half only warms up.
  for (let round = -rounds; round < rounds; round++) {
    for (const each of times) {
      const measured = measureConversation(each.wire, round + rounds);
      if (round < 0) continue;
      each.unfolded.push(...measured.unfolded);
      each.folded.push(...measured.folded);
    }
  }
  printTimes(times);
}

/** The requests of one conversation, each one step longer than the one before; the first one is not known yet, and is not timed. */
function measureConversation(wire: WireBodies, number: number): Omit<WireTimes, "wire"> {
  const adapter = adapterOf(wire);
  const conversation = startConversation(wire, number);
  adapter.readRequest(conversation.next());
  const [unfolded, folded]: [number[], number[]] = [[], []];
  for (let count = 0; count < REQUESTS_PER_CONVERSATION; count++) {
    const raw = conversation.next();
    const start = performance.now();
    const request = adapter.readRequest(raw);
    const readAt = performance.now();
    if (request === undefined) throw new Error(`${wire.name} does not read the bench's conversation.`);
    const parts = foldedParts(request);
    const writeAt = performance.now();
    const body = adapter.writeRequest(request, parts);
    const end = performance.now();
    if (body.length > BODY_BYTES / 2) throw new Error(`${wire.name} does not fold the bench's conversation.`);
    unfolded.push(readAt - start);
    folded.push(readAt - start + end - writeAt);
  }
  return { unfolded, folded };
}

function adapterOf({ name }: WireBodies): WireAdapter {
  const adapter = WIRE_ADAPTERS.find((each) => each.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter ${name}.`);
  return adapter;
}

interface WireConversation {
  /** One step longer than the one before. */
  next(): RawRequest;
}

function startConversation({ path, list, head, task, step }: WireBodies, number: number): WireConversation {
  const beginning = `${JSON.stringify(head).slice(0, -1)},"${list}":[`;
  const texts: string[] = [];
  const items: unknown[] = [];
  let [steps, length] = [0, beginning.length];

  function add(item: object): void {
    const text = JSON.stringify(item);
    texts.push(text);
    items.push(JSON.parse(text));
    length += text.length;
  }
  function addStep(): void {
    for (const item of step(stepAt(number, steps++, OUTPUT_BYTES))) add(item);
  }

  add(task(`See why build ${number} fails, and mend it.`));
  while (length < BODY_BYTES) addStep();
  return {
    next: () => {
      addStep();
      const sent = [...texts];
      return {
        path,
        value: { ...head, [list]: [...items] },
        sparseBody: (isNeeded) => `${beginning}${sent.map((text, item) => (isNeeded(item) ? text : "0")).join(",")}]}`,
        get body() {
          return `${beginning}${sent.join(",")}]}`;
        },
      };
    },
  };
}

/** A summary in place of the oldest messages, and stubs in place of the older results. */
function foldedParts({ messages }: WireRequest): readonly WirePart[] {
  // The first message that is shown is the model's, so that no result is without its call.
  const shownFrom = messages.findIndex(
    ({ role }, index) => role === "assistant" && index >= HIDDEN_SHARE * messages.length,
  );
  const clearedUpTo = shownFrom + CLEARED_SHARE * (messages.length - shownFrom);
  const summary = { role: "user" as const, content: "What was done so far: the parts were read.", isSummary: true };
  const shown = messages.slice(shownFrom).map(({ content }, offset): WirePart => {
    const index = shownFrom + offset;
    const folds = index < clearedUpTo && typeof content !== "string" ? content.flatMap(clear) : [];
    return folds.length === 0 ? { type: "original", index } : { type: "folded", index, folds };
  });
  return [{ type: "stand-in", message: summary }, ...shown];
}

function clear(block: Block, blockIndex: number): readonly BlockFold[] {
  if (block.type !== "tool_result") return [];
  const standIn: Block = { ...block, content: "[This result was cleared.]" };
  return [{ foldId: "cleared", kind: "clear", blockIndex, standIn, hiddenTokens: OUTPUT_BYTES / 4 }];
}

function printTimes(times: readonly WireTimes[]): void {
  console.log(
    `\nWhat adapters take for a body of 400 KB that continues a conversation, p50 of ${times[0]?.unfolded.length} requests each`,
  );
  console.log(line("", ["read, µs", "÷ Anthropic", "and write, µs", "÷ Anthropic"]));
  const [first] = times;
  const ratios = times.map(({ wire, unfolded, folded }) => {
    const ratios = [median(unfolded) / median(first?.unfolded), median(folded) / median(first?.folded)] as const;
    const [read, written] = [unfolded, folded].map((each) => (median(each) * 1_000).toFixed(1));
    console.log(line(`400 KB, ${wire.name}`, [read ?? "", ratio(ratios[0]), written ?? "", ratio(ratios[1])]));
    return { wire, ratios };
  });
  for (const {
    wire,
    ratios: [read, written],
  } of ratios.slice(1)) {
    printTarget(read <= MOST_RATIO, `${wire.name}: reads in ${ratio(read)} Anthropic's time (≤ ${ratio(MOST_RATIO)})`);
    printTarget(written <= MOST_RATIO, `${wire.name}: reads and writes folds in ${ratio(written)} Anthropic's time`);
  }
}

function median(times: readonly number[] | undefined): number {
  return quantile(times ?? [], 0.5);
}

function line(first: string, cells: readonly string[]): string {
  return first.padEnd(26) + cells.map((cell) => cell.padStart(15)).join("");
}
