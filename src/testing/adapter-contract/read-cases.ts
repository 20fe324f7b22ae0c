import assert from "node:assert/strict";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import {
  type AdapterContractCase,
  bodyText,
  type ContractContext,
  readBody,
  readInParts,
  stepsOf,
} from "./contract-case.ts";
import { canonicalTexts } from "./wire-parts.ts";

const STEPS = 8;

export function readCases(context: ContractContext): readonly AdapterContractCase[] {
  const { adapter, fixtures } = context;
  return [
    {
      name: "reads a conversation as valid messages, each call with its result",
      run: async () => {
        const { messages, callIds, operation } = readBody(context, bodyText(context, STEPS));
        const blocks = messages.flatMap(({ content }) => contentBlocks(content));
        assert.deepEqual(validateView(messages), []);
        assert.equal(operation, "generate");
        assert.equal(blocks.filter(isToolUse).length, STEPS);
        assert.equal(blocks.filter(isToolResult).length, STEPS);
        assert.equal(callIds.length, messages.length);
      },
    },
    {
      name: "reads the same from a value that is known as from the text",
      run: async () => {
        const body = bodyText(context, STEPS);
        const [one, other] = [readBody(context, body), readInParts(context, body)];
        assert.deepEqual(other.messages, one.messages);
        assert.deepEqual(canonicalTexts(other), canonicalTexts(one));
      },
    },
    {
      name: "reads nothing in requests that hold no conversation",
      run: async () => {
        const broken = { path: fixtures.path, body: bodyText(context, 1).slice(0, -1) };
        for (const raw of [...fixtures.strangers, broken, { path: fixtures.path, body: "[]" }]) {
          assert.equal(adapter.readRequest(raw), undefined, `${raw.path} ${raw.body.slice(0, 80)}`);
        }
      },
    },
    {
      name: "gives messages that say the same one canonical text, and others another",
      run: async () => {
        const texts = canonicalTexts(readBody(context, bodyText(context, STEPS)));
        for (const same of [fixtures.body, ...(fixtures.sameBodies ?? [])]) {
          const body = JSON.stringify(same(stepsOf(STEPS)), null, 1);
          assert.deepEqual(canonicalTexts(readBody(context, body)), texts);
        }
        assert.equal(new Set(texts).size, texts.length);
        const longer = canonicalTexts(readBody(context, bodyText(context, STEPS + 1)));
        // The last words, and with some wires one of the model before them, come behind all steps.
        assert.deepEqual(longer.slice(0, texts.length - 2), texts.slice(0, -2));
      },
    },
  ];
}
