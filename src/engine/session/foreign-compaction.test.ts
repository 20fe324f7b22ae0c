import { expect, test } from "vitest";
import { assistant, log, user } from "../../../test/support/messages.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { createEngine } from "../create-engine.ts";

const sealed = { type: "compaction", id: "cmp_1", encrypted_content: "only OpenAI reads this" };
const talk = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? user : assistant)(`word${at} `.repeat(200)));
const said = log(user("Mend the lamp."), assistant("I looked at it."), ...talk, user(sealed), user("Go on."));

test("a session that OpenAI compacted goes on with another provider, folded as usual, and comes back", async () => {
  const store = memoryStore();
  const session = await createEngine({ model: "gpt-5", contextWindow: 12_000, maxTokens: 1_000, store }).session("a");
  await session.append(...said);
  const { messages: own } = await session.prepare();
  expect(JSON.stringify(own)).toContain(sealed.encrypted_content);
  expect(JSON.stringify(own)).not.toContain("word39");

  session.useModel({ model: "claude-sonnet-4-5", contextWindow: 12_000, maxTokens: 1_000 });
  const { messages: other, report } = await session.prepare();
  expect(JSON.stringify(other)).not.toContain(sealed.encrypted_content);
  // What was said last is visible, what does not fit is behind a stand-in.
  expect(JSON.stringify(other)).toContain("word39");
  expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
  expect(validateView(other, { wire: "anthropic" })).toEqual([]);
  expect((await session.prepare()).messages).toEqual(other);

  // Also after a restart, and by the wire alone.
  const again = await createEngine({ model: "my-model", contextWindow: 12_000, store }).session("a");
  expect(JSON.stringify(await again.prepare({ as: "gemini" }))).not.toContain(sealed.encrypted_content);
  expect(JSON.stringify(await again.prepare({ as: "openai-responses" }))).toContain(sealed.encrypted_content);
});
