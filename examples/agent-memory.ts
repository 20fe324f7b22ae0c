import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addLoadedMemory, ContextBuilder, createInitialState, loadMemory, tickItem } from "palimpsest/agent";

// A project as people prepare it for their agents.
const folder = await mkdtemp(join(tmpdir(), "project-"));
await mkdir(join(folder, "skills/release"), { recursive: true });
await mkdir(join(folder, "checklists"));
await writeFile(join(folder, "AGENTS.md"), "# Style\n- Quotes: double\n\n# Release\nA tag releases the package.\n");
const skill =
  "---\nname: release\ndescription: Release a version of the package.\nallowed-tools: git, npm\n---\nTag it.\n";
await writeFile(join(folder, "skills/release/SKILL.md"), skill);
await writeFile(join(folder, "checklists/release.md"), "- [ ] Run the tests\n- [ ] Tag the release\n");

const memory = await loadMemory(folder);
const loaded = addLoadedMemory(createInitialState("Release the package"), memory);
const state = tickItem(loaded, { checklistId: "checklists/release.md", itemId: "1" });
const builder = new ContextBuilder({ totalTokens: 4_000, now: Date.now, format: "text" });
const { context } = builder.build(state);
console.log(context.slice(context.indexOf("## memory")).trim());

await rm(folder, { recursive: true });
