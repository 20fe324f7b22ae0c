import { expect, test } from "vitest";
import { asking, gatewayTurns, steps, type WireMessage } from "../../../test/support/gateway-turns.ts";
import { disturbStore } from "../../../test/support/intercepted-store.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MINE = { "x-palimpsest-session": "mine" };
const RESULT_PLACE = 4;

/** What tells each message from the others: the file that is read, or the first words of a result. */
const wordsOf = (messages: readonly Pick<WireMessage, "content">[]) =>
  messages.map(({ content }) => /src\/\w+-\d+|[\w ]*secret of \w+ in step \d+|Fix/.exec(JSON.stringify(content))?.[0]);

test("a result in other words is never written over what another gateway put in its place", async () => {
  const shared = memoryStore();
  const store = disturbStore(shared);
  const [gateway, other] = [gatewayTurns({ store }), gatewayTurns({ store: shared })];
  const mine = steps("mine", 4);
  const theirs = [...mine.slice(0, 3), ...steps("theirs", 4).slice(3)];
  const edited = mine.map((message, place) =>
    place === RESULT_PLACE ? JSON.parse(JSON.stringify(message).replace("The secret", "Again the secret")) : message,
  );
  await gateway.exchange(asking(mine, { headers: MINE }));
  // The result is about to be written in its new words. Right before that, the other gateway rewinds to before it and goes on.
  store.disturbNext("append", () => other.exchange(asking(theirs, { headers: MINE })));
  await gateway.exchange(asking(edited, { headers: MINE }));
  expect(other.activities).toContainEqual(expect.objectContaining({ sessionId: "mine", change: "rewound" }));

  const session = await gateway.engine.session("mine");
  expect(wordsOf(await session.log())).toEqual(wordsOf(edited));
  const said = [mine, theirs, edited].map((messages) => wordsOf(messages).join("\n"));
  for (let toVersion = 1; toVersion <= (await session.version()); toVersion++) {
    const then = await (await session.branch(`at-${toVersion}`, { toVersion })).log();
    const words = wordsOf(then).join("\n");
    expect(
      said.filter((each) => each.startsWith(words)),
      `version ${toVersion}: ${words}`,
    ).not.toEqual([]);
  }
});
