import { createHash } from "node:crypto";
import type { Block, Message } from "../../../core/message/message.ts";
import { spokenTexts } from "../../../core/text/message-texts.ts";
import { OUTPUTS, projectFiles } from "./project.ts";
import { STORY } from "./story.ts";

const BEGIN_MS = Date.UTC(2026, 8, 14, 7, 41, 12);
const PAUSE_MS = 41_000;

interface Part {
  readonly role: Message["role"];
  readonly blocks: readonly Block[];
}

/** A long, invented coding session (over 150,000 tokens): the same messages on every call. */
export function demoSession(): readonly Message[] {
  const files = projectFiles();
  const turns: Part[] = [];
  for (const { role, blocks } of STORY.flatMap((step, place) => play(step, place, files))) {
    // Neighbouring steps of one side become one message, as in a real log.
    const before = turns.at(-1)?.role === role ? turns.pop()?.blocks : [];
    turns.push({ role, blocks: [...(before ?? []), ...blocks] });
  }
  return turns.map(({ role, blocks }, index) => {
    const id = `m-${String(index + 1).padStart(3, "0")}`;
    const message = { role, content: blocks, id, ts: BEGIN_MS + index * PAUSE_MS };
    const [text] = role === "user" && blocks.length === 1 ? spokenTexts(message) : [];
    return { ...message, content: text ?? blocks };
  });
}

/** The messages, or parts of them, that a step of the story makes. */
function play(step: string, place: number, files: Map<string, string>): readonly Part[] {
  const [said = "", ...lines] = step.split(" $ ").map((line) => line.replaceAll("⏎", "\n"));
  const text = said.replace(/^[>~] /, "");
  if (said.startsWith("> ")) {
    const screen = { type: "image", source: { type: "base64", media_type: "image/png", data: WALL_SCREEN } };
    const images = text.includes("wall screen") ? [screen] : [];
    return [{ role: "user", blocks: [...images, { type: "text", text }] }];
  }
  if (said.startsWith("~ ")) {
    const signature = createHash("shake256", { outputLength: 72 }).update(text).digest("base64");
    return [{ role: "assistant", blocks: [{ type: "reasoning", text, signature }] }];
  }
  const calls = lines.map((line, index) => ({ id: `call_${place}_${index}`, call: runCall(line, files) }));
  const uses = calls.map(({ id, call: [name, input] }) => ({ type: "tool_use", id, name, input }));
  const results = calls.map(({ id, call: [, , content, isError] }) => {
    return { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
  });
  const spoken: Part = { role: "assistant", blocks: [{ type: "text", text }, ...uses] };
  return calls.length === 0 ? [spoken] : [spoken, { role: "user", blocks: results }];
}

/** A picture of one black dot. */
const WALL_SCREEN = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

type Call = readonly [name: string, input: Readonly<Record<string, string>>, output: string, isError?: boolean];

/** Runs a call over files held in memory, so that every read shows what the edits before it left. */
function runCall(line: string, files: Map<string, string>): Call {
  const [tool, path = "", first = "", second = ""] = line.split(" :: ");
  const content = files.get(path) ?? "";
  switch (tool) {
    case "list":
      return ["list_files", { path }, [...files.keys()].join("\n")];
    case "read":
      return ["read_file", { path }, numbered(content).join("\n")];
    case "search": {
      const lines = [...files].flatMap(([file, text]) => numbered(text).map((each) => `${file}:${each}`));
      return ["search", { pattern: path }, lines.filter((each) => each.includes(path)).join("\n") || "No match"];
    }
    case "write":
      files.set(path, first);
      return ["write_file", { path, content: first }, `Wrote ${path}`];
    case "edit": {
      files.set(
        path,
        content.replace(first, () => second),
      );
      const isError = !content.includes(first);
      const output = isError ? `old_text was not found in ${path}. Read the file again.` : `Edited ${path}`;
      return ["edit_file", { path, old_text: first, new_text: second }, output, isError];
    }
    default: {
      const [output = "", ...options] = first.split(" ");
      return ["run_command", { command: path }, OUTPUTS[output]?.(...options) ?? first];
    }
  }
}

function numbered(content: string): readonly string[] {
  return content.split("\n").map((line, index) => `${String(index + 1).padStart(4)}  ${line}`);
}
