import { type ContextItem, itemMaker } from "../context/context-item.ts";
import type { Checklist, Phase, PhasedProcedure, ProceduralMemory, Skill, Template } from "../layered-state.ts";
import { placeholdersOf } from "../updates/render-template.ts";
import { CONTEXT_LIMITS } from "./limits.ts";
import type { Relevance } from "./relevance.ts";

const skillItem = itemMaker<Skill>((skill) => ({
  tag: "skill",
  attributes: { name: skill.name, tools: listed(skill.tools), source: skill.source },
  text: linesOf([skill.description, skill.content, ...numberedSteps(skill)]),
  priority: "medium",
}));

const templateItem = itemMaker<Template>(({ name, content, variables }) => ({
  tag: "template",
  attributes: { name, variables: listed(variables?.map((variable) => variable.name) ?? placeholdersOf(content)) },
  text: content,
  priority: "medium",
}));

const checklistItem = itemMaker<Checklist>(({ name, content, items = [] }) => ({
  tag: "checklist",
  attributes: {
    name,
    done: items.length === 0 ? undefined : `${items.filter(({ isDone }) => isDone).length}/${items.length}`,
  },
  text: linesOf([content, ...items.map(({ text, isDone }) => `[${isDone ? "x" : " "}] ${text}`)]),
  priority: "medium",
}));

const procedureItem = itemMaker<PhasedProcedure>(({ name, content }) => ({
  tag: "procedure",
  attributes: { name },
  text: content,
  priority: "medium",
}));

/** The relevant entries: all skills and checklists, three templates at most, and the procedures of the phase. */
export function proceduralItems(
  { skills, templates, checklists, procedures }: ProceduralMemory,
  { phase, relevance }: { readonly phase: Phase; readonly relevance: Relevance },
): readonly ContextItem[] {
  return [
    ...relevance.relevant(skills).map(skillItem),
    ...relevance.relevant(templates).slice(0, CONTEXT_LIMITS.templates).map(templateItem),
    ...relevance.relevant(checklists).map(checklistItem),
    ...relevance.relevant(proceduresOf(procedures, phase)).map(procedureItem),
  ];
}

/** The entries of procedural memory, each with the text that is compared with the goal. */
export function comparedProcedures(
  { skills, templates, checklists, procedures }: ProceduralMemory,
  phase: Phase,
): readonly { readonly entry: object; readonly text: string }[] {
  const named = (entry: { readonly name: string }, ...texts: readonly (string | undefined)[]) => ({
    entry,
    text: `${entry.name}: ${linesOf(texts)}`,
  });
  return [
    ...skills.map((skill) => named(skill, skill.description ?? skill.content, ...(skill.steps ?? []))),
    ...templates.map((template) => named(template, template.content)),
    ...checklists.map((checklist) =>
      named(checklist, checklist.content, ...(checklist.items ?? []).map(({ text }) => text)),
    ),
    ...proceduresOf(procedures, phase).map((procedure) => named(procedure, procedure.content)),
  ];
}

function proceduresOf(procedures: readonly PhasedProcedure[], phase: Phase): readonly PhasedProcedure[] {
  return procedures.filter(({ phases }) => phases === undefined || phases.includes(phase));
}

function numberedSteps({ steps = [] }: Skill): readonly string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`);
}

function linesOf(texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join("\n");
}

function listed(names: readonly string[] = []): string | undefined {
  return names.length === 0 ? undefined : names.join(", ");
}
