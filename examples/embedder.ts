/**
 * Recall by meaning: an embedder ranks the matches by words, and finds texts that say the same in other words. This one
 * knows three ideas and runs anywhere; a real one asks a provider or a local model for vectors.
 */
import { createEngine, type Embedder } from "palimpsest";

const IDEAS = [
  ["lamp", "light", "beacon", "bulb", "dark"],
  ["fail", "broken", "outage", "dark", "fuse", "blew"],
  ["boat", "ferry", "ship", "late", "harbour"],
];

/** Counts the words of each idea in a text, plus a small number, so that no vector is zero. */
function vectorOf(text: string): readonly number[] {
  const words = text.toLowerCase().split(/\W+/);
  return [...IDEAS.map((idea) => words.filter((word) => idea.includes(word)).length), 0.1];
}

const embedder: Embedder = {
  name: "three-ideas",
  embed: async (texts) => texts.map(vectorOf),
};

const engine = createEngine({ model: "claude-sonnet-4-5", embedder });
const session = await engine.session("keeper");
await session.append(
  { role: "user", content: "Keep the night's record." },
  { role: "assistant", content: "At ten the bulb went dark: a fuse blew in the lower gallery." },
  { role: "user", content: "And then?" },
  { role: "assistant", content: "At eleven the ferry came in late, with forty people." },
);
for (let watch = 1; watch <= 40; watch++) {
  await session.append(
    { role: "user", content: `Watch ${watch}?` },
    { role: "assistant", content: "Nothing to report." },
  );
}
await session.condense();

const question = "outage of the light";
const [hit] = await session.recall(question);
console.log(hit?.text);

const byWords = await createEngine({ model: "claude-sonnet-4-5" }).importSession(await session.export());
console.log(`by words alone: ${(await byWords.recall(question)).length} found`);
