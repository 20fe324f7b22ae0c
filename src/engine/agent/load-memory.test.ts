import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testAgent } from "../../../test/support/agents.ts";
import { addLoadedMemory } from "../../core/layers/load/loaded-memory.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { loadMemory } from "./load-memory.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "load-memory-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

describe("loading the memory of a folder", () => {
  test("reads instructions, skills, templates and checklists, in the order of their names", async () => {
    await write("AGENTS.md", "# Rules\n- Quotes: double\n\n# Build\nnpm run build\n");
    await write("skills/b/SKILL.md", "---\ndescription: About b.\n---\nB");
    await write("skills/a/SKILL.md", "A");
    await write("skills/assets/logo.txt", "no skill");
    await write("skills/README.md", "no skill");
    await write(".claude/skills/c/SKILL.md", "C");
    await write("templates/note.md", "Hi {{name}}");
    await write("templates/note.txt", "no template");
    await write("checklists/ship.md", "- [ ] Tag it");
    const memory = await loadMemory(folder);
    expect(memory.preferences).toEqual([{ key: "Quotes", value: "double" }]);
    expect(memory.projectKnowledge).toMatchObject([{ topic: "Build", content: "npm run build" }]);
    expect(memory.skills.map(({ name, source }) => [name, source])).toEqual([
      ["a", "skills/a/SKILL.md"],
      ["b", "skills/b/SKILL.md"],
      ["c", ".claude/skills/c/SKILL.md"],
    ]);
    expect(memory.templates.map(({ name }) => name)).toEqual(["note"]);
    expect(memory.checklists).toMatchObject([{ name: "ship", items: [{ text: "Tag it", isDone: false }] }]);

    const state = addLoadedMemory(createInitialState("Ship it"), memory);
    expect(state.l3_memory.procedural.skills).toEqual(memory.skills);
    expect(state.l3_memory.semantic.projectKnowledge).toEqual(memory.projectKnowledge);
    expect(addLoadedMemory(state, memory)).toEqual(state);
  });

  test("gives nothing for a folder that has none of it", async () => {
    const nothing = { preferences: [], projectKnowledge: [], skills: [], templates: [], checklists: [] };
    expect(await loadMemory(folder)).toEqual(nothing);
  });

  test("reads a text once that lies there under two names", async () => {
    await write("AGENTS.md", "# Rules\n- Be kind.\n");
    await symlink("AGENTS.md", join(folder, "CLAUDE.md"));
    expect((await loadMemory(folder)).preferences).toHaveLength(1);
  });

  test("lets a later file replace what an earlier one prefers", async () => {
    await write("AGENTS.md", "# Style\n- Quotes: double\n");
    await write("CLAUDE.md", "# Style\n- Quotes: single\n");
    const { l3_memory } = addLoadedMemory(createInitialState("Ship it"), await loadMemory(folder));
    expect(l3_memory.semantic.preferences).toEqual([{ key: "Quotes", value: "single" }]);
  });

  test("reads from the places that it is told", async () => {
    await write("GEMINI.md", "# Build\nmake\n");
    await write("know-how/x/SKILL.md", "X");
    await write("skills/y/SKILL.md", "Y");
    const memory = await loadMemory(folder, { instructionFiles: ["GEMINI.md"], skillFolders: ["know-how"] });
    expect(memory.projectKnowledge).toMatchObject([{ topic: "Build" }]);
    expect(memory.skills.map(({ name }) => name)).toEqual(["x"]);
  });
});

test("an agent is told what was loaded for it", async () => {
  await write("AGENTS.md", "# Rules\n- Quotes: double\n");
  const { engine, model } = testAgent([], { initialState: { memory: await loadMemory(folder) } });
  await engine.executeTask("Go on.");
  expect(JSON.stringify(model.asked[0])).toContain("double</preference>");
});

describe("what cannot be read is named:", () => {
  test.each([
    ["skills/a/SKILL.md", "---\nname a\n---\n", 'skills/a/SKILL.md, line 2: "name a" is no field'],
    ["checklists/a.md", "- [?] x", "checklists/a.md, line 1: [?] is neither open nor done"],
    ["templates/a.md", new Uint8Array([0xff, 0xfe, 0x41]), "templates/a.md cannot be read: it is not UTF-8"],
    ["AGENTS.md", "x".repeat(1024 * 1024 + 1), "AGENTS.md cannot be read: it has 1048577 bytes"],
    ["AGENTS.md/file", "x", "AGENTS.md cannot be read: it is no file"],
  ])("%s", async (path, content, message) => {
    await write(path, content);
    const refused = { code: "invalid-configuration", message: expect.stringContaining(message) };
    await expect(loadMemory(folder)).rejects.toMatchObject(refused);
  });

  test("a folder that is not there", async () => {
    await expect(loadMemory(join(folder, "none"))).rejects.toMatchObject({ code: "not-found" });
  });
});
