/** A fifth wire, which no provider speaks: what docs/adding-an-adapter.md makes, step by step. */

import { limitFields } from "../../../src/adapters/splice/edit-fields.ts";
import { createAdapter } from "../../../src/adapters/splice/index.ts";
import { tryParseJson } from "../../../src/core/json/parse-json.ts";
import { asArray, asNumber, asRecord, asText, fieldAt } from "../../../src/core/json/read-json.ts";
import { stableText } from "../../../src/core/json/stable-text.ts";
import type { ReplyFollower } from "../../../src/core/ports/wire-adapter.ts";
import { groupLines, placeBlocks } from "./read-lines.ts";
import { editBlock, writeStandIn } from "./write-lines.ts";

export const plainAdapter = createAdapter({
  // Step 1: what the gateway has to know.
  name: "plain",
  operationOf: (path) => (/\/plain\/converse$/.test(path) ? "generate" : undefined),
  listPaths: [["dialogue", "lines"]],
  upstream: { name: "plain", url: "https://plain.example", paths: /^\/plain\// },
  sessions: { headers: [{ name: "x-plain-talk", agent: "plain" }] },
  limits: { maxBodyBytes: 1_000_000 },
  telemetry: { provider: "plain" },

  // Step 2: where the conversation lies, and how its items make up messages.
  findList(body) {
    const lines = fieldAt(body, "dialogue", "lines");
    return Array.isArray(lines) ? { fields: body, path: ["dialogue", "lines"], items: lines } : undefined;
  },
  group: groupLines,
  describe: ({ fields }) => ({
    modelId: asText(fields.model) ?? "",
    isStreaming: false,
    maxOutputTokens: asNumber(fields.most),
    systemPrompt: asText(fields.rules) ?? "",
    tools: asArray(fields.tools),
    agentSession: undefined,
  }),
  canonical: (lines) => lines.map(stableText).join("\n"),

  // Step 3: how a fold is shown.
  placeBlocks,
  editBlock,
  writeStandIn,

  // Step 4: replies.
  limitReply: (body, most) => limitFields(body, ["most"], most),
  followReply,
});

function followReply(): ReplyFollower {
  const pieces: string[] = [];
  return {
    push: (text) => void pieces.push(text),
    stage: () => (pieces.length === 0 ? "opening" : "speaking"),
    failure: () => undefined,
    usage: () => {
      const spent = asRecord(fieldAt(tryParseJson(pieces.join("")), "spent"));
      const [inputTokens, outputTokens] = [asNumber(spent?.read), asNumber(spent?.written)];
      return inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens };
    },
  };
}
