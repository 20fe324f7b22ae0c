import { type Block, type CondensationPlugin, createEngine, isKnownBlock, type Message } from "palimpsest";
import { detectPairs, getKeepMessagesWithToolBlocks, getPairPartner } from "palimpsest/core";

// A condenser that asks no model, for agents that write documents: old chapters go, their headings stay.
const headingsCondenser: CondensationPlugin = {
  name: "headings",
  priority: 10,
  shouldActivate: ({ messages }) => messages.some((message) => headingsOf(message).length > 0),

  async condense(messages, { keepMessages }) {
    const visible = messages.filter(({ condenseParent, truncationParent }) => !condenseParent && !truncationParent);
    const newest = getKeepMessagesWithToolBlocks(visible, keepMessages);
    const pairs = detectPairs(visible);
    // These stay: the goal, the newest messages, and marked messages with the other half of their tool pairs.
    const old = visible.slice(1, visible.length - newest.keepMessages.length);
    const isMarked = (message: Message) => message.important || getPairPartner(message, pairs)?.important;
    const hidden = new Set(old.filter((message) => !isMarked(message)));
    if (hidden.size < 2) return { messages, summary: "", cost: 0, modelCalls: 0, error: "Nothing is old enough." };

    const condenseId = freeId(messages);
    const summary = ["Written so far:", ...[...hidden].flatMap(headingsOf)].join("\n");
    const notice = `[The chapters themselves are hidden; restore fold ${condenseId} to read them.]`;
    const standIn: Message = {
      role: "assistant",
      // The summary carries the calls whose results stay, and the reasoning that led to them.
      content: [...newest.reasoningBlocksToPreserve, text(summary), text(notice), ...newest.toolUseBlocksToPreserve],
      isSummary: true,
      condenseId,
    };
    const tagged = messages.map((message) =>
      hidden.has(message) ? { ...message, condenseParent: condenseId } : message,
    );
    const lastHidden = messages.findLastIndex((message) => hidden.has(message));
    return { messages: tagged.toSpliced(lastHidden + 1, 0, standIn), summary, condenseId, cost: 0, modelCalls: 0 };
  },
};

function headingsOf({ content }: Message): readonly string[] {
  const blocks: readonly Block[] = typeof content === "string" ? [text(content)] : content;
  return blocks.flatMap((block) =>
    isKnownBlock(block) && block.type === "text" ? (block.text.match(/^#+ .+/gm) ?? []) : [],
  );
}

// Fold ids must be unique within a log, and the same log must always give the same ids.
function freeId(messages: readonly Message[], number = 1): string {
  const isTaken = messages.some((message) => message.condenseId === `headings-${number}`);
  return isTaken ? freeId(messages, number + 1) : `headings-${number}`;
}

function text(words: string): Block {
  return { type: "text", text: words };
}

const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 16_000, condenser: headingsCondenser });
const session = await engine.session("handbook");
await session.append({ role: "user", content: "Write the handbook of the harbour, chapter by chapter." });
for (const title of ["Tides", "Pilots", "Cranes", "Lights", "Ropes", "Tugs", "Nets", "Locks", "Fog", "Ice", "Rats"]) {
  const sentences = `What a newcomer must know about ${title.toLowerCase()}. `.repeat(100);
  const chapter = `# ${title}\n${sentences}\n## ${title} in winter\n${sentences}`;
  await session.append({ role: "assistant", content: chapter.trim() }, { role: "user", content: "Good. Go on." });
  const { report } = await session.prepare();
  if (report.foldIds.length > 0) console.log(`after ${title}: made ${report.foldIds.join(", ")}`);
}
const events = await session.events();
for (const event of events) if (event.type === "condense_context") console.log(event.summary.replaceAll("\n", " "));
