import type { Checklist, ChecklistItem, Skill, Template } from "../layered-state.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { baseName, headingOf, type Line, type MemoryFile, textOfLines, unreadable } from "./memory-file.ts";

/** Reads a skill from a SKILL.md file. A skill without a name gets that of its folder. Throws where it has neither a description nor a text. */
export function parseSkill(file: MemoryFile): Skill {
  const matter = readFrontMatter(file);
  const content = textOfLines(matter.body);
  const [description, steps, tools] = [matter.text("description"), matter.list("steps"), toolsOf(matter)];
  if (!description && content === "") {
    const fix = "Add a description to its front matter: what it is for, and when to use it.";
    throw unreadable(file.path, 1, `it says nothing. ${fix}`);
  }
  return {
    id: file.path,
    name: matter.text("name") || (file.path.split("/").at(-2) ?? file.path),
    content,
    ...(description ? { description } : {}),
    ...(steps === undefined ? {} : { steps }),
    ...(tools.length === 0 ? {} : { tools }),
    source: file.path,
  };
}

/** The tools of a skill, from `allowed-tools`, which agents use today, or `tools`: a list, or names separated by commas or blanks. */
function toolsOf(matter: FrontMatter): readonly string[] {
  const key = matter.kind("allowed-tools") === undefined ? "tools" : "allowed-tools";
  if (matter.kind(key) === "list") return matter.list(key) ?? [];
  // Blanks and commas inside parentheses belong to the name: Bash(git add:*).
  return matter.text(key)?.match(/(?:\([^()]*\)|[^\s,()])+/g) ?? [];
}

/** Reads a template: its text, its name or that of the file, and the variables of its front matter, if any. Throws where the text is empty. */
export function parseTemplate(file: MemoryFile): Template {
  const matter = readFrontMatter(file);
  const content = textOfLines(matter.body);
  if (content === "")
    throw unreadable(file.path, 1, "it is empty. Write the text of the template, with {{name}} where a value goes.");
  const names = matter.kind("variables") === "texts" ? matter.texts("variables") : undefined;
  const variables =
    names === undefined
      ? matter.list("variables")?.map((name) => ({ name }))
      : Array.from(names, ([name, value]) => (value === "" ? { name } : { name, default: value }));
  return {
    id: file.path,
    name: matter.text("name") || baseName(file.path),
    content,
    ...(variables === undefined ? {} : { variables }),
  };
}

const TASK = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([^[\]]*)\](?=[ \t]|$)/;

/** Reads a checklist: the items of the file's task lists, and the text around them. Its name is that of the front matter, the first heading or the file. */
export function parseChecklist(file: MemoryFile): Checklist {
  const matter = readFrontMatter(file);
  const items: ChecklistItem[] = [];
  const around: Line[] = [];
  let title = "";
  let isInItem = false;
  for (const line of matter.body) {
    const task = line.isCode ? null : TASK.exec(line.text);
    const heading = headingOf(line)?.text;
    const last = items.at(-1);
    if (task !== null) items.push({ id: String(items.length + 1), ...readTask(task, line, file.path) });
    else if (heading !== undefined && title === "") title = heading;
    else if (isInItem && last !== undefined && /^[ \t]+\S/.test(line.text))
      items[items.length - 1] = { ...last, text: `${last.text} ${line.text.trim()}`.trim() };
    else around.push(line);
    isInItem = task !== null || (isInItem && /^[ \t]+\S/.test(line.text));
  }
  if (items.length === 0) throw unreadable(file.path, 1, "it has no items. Write each as - [ ] text.");
  return {
    id: file.path,
    name: matter.text("name") || title || baseName(file.path),
    content: textOfLines(around),
    items,
  };
}

function readTask(task: RegExpExecArray, line: Line, path: string): Omit<ChecklistItem, "id"> {
  const [whole, box = ""] = task;
  const mark = box.trim().toLowerCase();
  if (mark !== "" && mark !== "x")
    throw unreadable(path, line.number, `[${box}] is neither open nor done. Write [ ] or [x].`);
  const text = line.text.slice(whole.length).trim();
  if (text === "")
    throw unreadable(path, line.number, "the item says nothing. Write what is to be done behind its box.");
  return { text, isDone: mark === "x" };
}
