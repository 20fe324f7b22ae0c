import { expect, test } from "vitest";
import { CONFUSED_NAMES, teachParser } from "../../../test/support/escaped-names.ts";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeDurableStores } from "../../../test/support/stores.ts";

await describeDurableStores("names that JSON writes with an escape", (makePlace) => {
  test("are the same in a tool's input, whatever was parsed before", async () => {
    const place = makePlace();
    const messages = CONFUSED_NAMES.flatMap((name, index) => {
      const input = { pattern: `${index}`, [name]: { nested: [{ first: 1, [name]: name }] } };
      return [assistant(call(`t${index}`, "grep", input)), user(result(`t${index}`, "none"))];
    });
    teachParser("pattern");
    teachParser("first");
    await (await sessionOn(place.open())).append(user("Look."), ...messages);
    expect(await (await sessionOn(place.open())).log()).toEqual([user("Look."), ...messages]);
  });

  test("are the same in the state of a checkpoint", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(user("Look."));
    const state = { plan: "x", "\n": ["y"] };
    teachParser("plan");
    const { id } = await session.checkpoint({ state });
    const [read] = await (await sessionOn(place.open())).checkpoints();
    expect(read).toMatchObject({ id, state });
    expect(Object.keys(Object(read?.state))).toEqual(Object.keys(state));
  });
});
