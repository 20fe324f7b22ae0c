import { expect, test } from "vitest";
import { GOOD_SNAPSHOT, handler, replies } from "../../../test/support/handlers.ts";
import { talkOf } from "../../../test/support/sessions.ts";
import { createEngine, modelCondenser } from "../../index.ts";

test.each([
  ["asks a second time what the snapshot left out, where verify is set", true, 2],
  ["asks once without it", undefined, 1],
])("a model condenser %s", async (_, verify, calls) => {
  const model = handler(replies(GOOD_SNAPSHOT));
  const condenser = modelCondenser(model, { strategy: "snapshot", ...(verify === undefined ? {} : { verify }) });
  const session = await createEngine({ model: "claude-haiku-4-5", condenser }).session("s");
  await session.append(...talkOf(20, 300));
  await session.condense();
  expect(model.asked).toHaveLength(calls);
});
