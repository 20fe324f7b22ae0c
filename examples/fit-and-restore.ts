import {
  allowedTokens,
  foldToFit,
  getEffectiveApiHistory,
  listFolds,
  type Message,
  restoreMessages,
} from "palimpsest/core";

// The log of an agent that read forty files: everything that was ever said.
let log: readonly Message[] = [{ role: "user", content: "Find out why the harbour light blinks twice." }];
for (let file = 1; file <= 40; file++) {
  log = [
    ...log,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `t${file}`, name: "read_file", input: { path: `lamp-${file}.log` } }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `t${file}`, content: `lamp ${file}: on, off, on, off. `.repeat(60) },
      ],
    },
  ];
}

// Too much for a window of 16,000 tokens, of which 2,000 are for the reply: fold.
const budget = allowedTokens({ contextWindow: 16_000, maxTokens: 2_000 });
const folded = foldToFit(log, { allowedTokens: budget });
console.log(`${folded.type}: ${folded.tokens} of ${budget} allowed tokens`);

// Send role and content of each message of the view. Calls and results are still pairs; folded results are stand-ins.
const view = getEffectiveApiHistory(folded.messages);
console.log(`${view.length} messages in the view`);

// Nothing is lost: undo the folds, and the log is what it was.
let restored = folded.messages;
for (const fold of listFolds(folded.messages)) {
  console.log(`restoring ${fold.kind}: ${fold.messages} messages, ${fold.blocks} blocks`);
  restored = restoreMessages(restored, fold.foldId);
}
console.log(JSON.stringify(restored) === JSON.stringify(log) ? "identical, byte for byte" : "NOT THE SAME");
