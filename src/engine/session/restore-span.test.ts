import { expect, test } from "vitest";
import { talkOf } from "../../../test/support/sessions.ts";
import { sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeSessions } from "../../../test/support/stores.ts";
import { restoreAllMessages } from "../../index.ts";

await describeSessions("restoring a span", (makePlace) => {
  test("shows its messages again, word for word, and leaves the rest of the fold hidden", async () => {
    const session = await sessionOn(makePlace().open());
    const said = talkOf(20, 300);
    await session.append(...said);
    await session.condense();
    const [first = "", second = ""] = [said[6]?.id, said[7]?.id];
    const idsBefore = (await session.view()).map(({ id }) => id);
    expect(idsBefore).not.toContain(first);
    await session.restore({ from: first, to: second });
    const view = await session.view();
    expect(view.find(({ id }) => id === first)?.content).toEqual(said[6]?.content);
    expect(view.find(({ id }) => id === second)?.content).toEqual(said[7]?.content);
    expect(view.map(({ id }) => id)).not.toContain(said[9]?.id);
    expect(await session.folds()).toHaveLength(1);
    expect(restoreAllMessages(await session.log()).map(({ content }) => content)).toEqual(
      said.map(({ content }) => content),
    );
  });
});
