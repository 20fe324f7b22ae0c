import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Message } from "palimpsest";
import { parse } from "yaml";
import { TRAINING_FOLDER } from "../../perf/data-folder.ts";

/** A template of a conversation with planted facts. */
export interface Template {
  readonly key: string;
  readonly family: string;
  readonly variables: readonly { readonly name: string; readonly generator: string }[];
  readonly transcript: { readonly turns: readonly { readonly role: string; readonly template?: string }[] };
  readonly evaluation_items: readonly { readonly expected: { readonly check: string; readonly value: string } }[];
}

/** The templates of compactbench, read in place; undefined where they are absent. */
export function readTemplates(): readonly Template[] | undefined {
  const folder = resolve(TRAINING_FOLDER, "compactbench");
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
  return files.toSorted().map((file) => parse(readFileSync(resolve(folder, file), "utf8")).template);
}

/** A conversation, what its view must hold, and what it may hold only as taken back. */
export interface PlantedConversation {
  readonly messages: readonly Message[];
  readonly demanded: readonly string[];
  readonly stale: readonly string[];
}

/** Writes a conversation by a template: names and actions at random, and so many turns of other things in between. */
export function plantConversation(
  template: Template,
  { random, distractors }: { readonly random: () => number; readonly distractors: number },
): PlantedConversation {
  const taken = new Set<string>();
  const values = new Map(template.variables.map(({ name, generator }) => [name, generate(generator, random, taken)]));
  const fill = (text: string) =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values.get(name) ?? whole);
  const messages = template.transcript.turns.flatMap(({ role, template: text }): readonly Message[] => {
    if (role === "distractor_block") return distract(distractors, random);
    return [{ role: role === "assistant" ? "assistant" : "user", content: fill(text ?? "") }];
  });
  const valuesOf = (check: string) =>
    template.evaluation_items.flatMap(({ expected }) => (expected.check === check ? [fill(expected.value)] : []));
  const demanded = valuesOf("contains_normalized");
  // What must be known so that it is not done is no stale word.
  const stale = template.family === "decision_override" ? valuesOf("forbidden_absent") : [];
  return { messages, demanded, stale: stale.filter((value) => !demanded.includes(value)) };
}

/** So many turns about other things. */
export function distract(turns: number, random: () => number): readonly Message[] {
  return Array.from({ length: turns }, (_, at): Message => {
    const [subject, aspect] = [pick(SUBJECTS, random), pick(ASPECTS, random)];
    if (at % 2 === 0) return { role: "user", content: `Another thing: what about the ${aspect} of the ${subject}?` };
    const content = `The ${aspect} of the ${subject} looks fine; ${pick(REMARKS, random)}, and ${pick(REMARKS, random)}.`;
    return { role: "assistant", content };
  });
}

const SUBJECTS = [
  "quarterly report",
  "office move",
  "newsletter",
  "parking plan",
  "canteen",
  "intern programme",
  "printer",
];
const ASPECTS = ["schedule", "wording", "cost", "size", "order", "colour", "deadline"];
const REMARKS = [
  "a few people have looked at it already",
  "there is nothing urgent in it",
  "it can wait until the next round",
  "the draft covers most of it",
  "somebody from the other team will comment",
  "the numbers are the same as last time",
];

const WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  person_name: [
    ["Amara", "Bertil", "Chiyo", "Dmitri", "Elif", "Farid", "Greta", "Hamza", "Ines", "Jorun"],
    ["Okafor", "Lindqvist", "Tanaka", "Volkov", "Demir", "Haddad", "Brandt", "Siddiqui", "Moreau", "Solberg"],
  ],
  project_noun: [
    ["billing", "archive", "harbour", "telemetry", "greenhouse", "catalogue", "ferry", "payroll"],
    ["migration", "rollout", "audit", "redesign", "pilot", "inventory"],
  ],
  action_phrase: [
    ["email", "publish", "delete", "rename", "archive", "delegate", "postpone", "translate", "encrypt", "outsource"],
    ["the vendor list", "the raw logs", "the signing keys", "the contracts", "the floor plan", "the test accounts"],
    ["before Friday", "without a backup", "to the partners", "in one batch", "by hand", "over the weekend"],
  ],
  org_name: [
    ["Northwind", "Halden", "Meridian", "Castellan"],
    ["Works", "Partners", "Foundry", "Trust"],
  ],
};

function generate(generator: string, random: () => number, taken: Set<string>): string {
  const parts = WORDS[generator];
  if (parts === undefined) throw new Error(`compactbench: nothing generates ${generator}. Add its words to WORDS.`);
  for (;;) {
    const value = parts.map((words) => pick(words, random)).join(" ");
    if (taken.has(value)) continue;
    taken.add(value);
    return value;
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from: the list is empty.");
  return item;
}
