/** Prints a ledger: the text that the model reads instead of messages that were condensed without a model. */
import { compact, getEffectiveApiHistory, type Message } from "palimpsest";

const log: readonly Message[] = [
  { role: "user", content: "The harbour light blinks twice. Mend src/lamp.ts. Never change the timing of lamp 7." },
  ...read("r1", "src/lamp.ts", lampSource()),
  ...read("r2", "logs/harbour.log", harbourLog()),
  ...run("t1", "npm test", "FAIL test/lamp.test.ts\n  blinks once: expected 1, received 2\n1 failed, 41 passed"),
  { role: "assistant", content: "blink() is called by tick() and by onTide(). I will drop the call in onTide()." },
  { role: "user", content: "Good. Keep onTide() itself, the pier uses it." },
  { role: "assistant", content: "I edit src/lamp.ts now." },
];

const { messages, foldIds } = compact(log, 300);
const ledger = getEffectiveApiHistory(messages).find(({ condenseId }) => condenseId === foldIds.at(-1));
const content = ledger?.content;
console.log(
  typeof content === "string" ? content : content?.map((block) => ("text" in block ? block.text : "")).join("\n"),
);

function read(id: string, path: string, text: string): readonly Message[] {
  return call(id, "read_file", { path }, text);
}

function run(id: string, command: string, output: string): readonly Message[] {
  return call(id, "bash", { command }, output);
}

function call(id: string, name: string, input: Readonly<Record<string, string>>, content: string): readonly Message[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ];
}

function lampSource(): string {
  const notes = Array.from({ length: 40 }, (_, at) => `// Painted in spring, looked after by keeper number ${at}.`);
  const ticking = ["export function tick() {", "  blink(lamp);", "}"];
  return [
    ...notes,
    ...ticking,
    "export function onTide(level: number) {",
    "  if (level > HIGH_TIDE) blink(lamp);",
    "}",
  ].join("\n");
}

function harbourLog(): string {
  return Array.from({ length: 120 }, (_, at) => `03:${10 + (at % 50)} on, off, on, off`).join("\n");
}
