import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anthropicFixtures,
  chatFixtures,
  geminiFixtures,
  responsesFixtures,
} from "../../../test/support/adapter-fixtures.ts";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { type AdapterFixtures, type ModelServer, startModelServer, testAdapter } from "../index.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
});
afterAll(() => server.close());

const FIXTURES: Readonly<Record<string, AdapterFixtures>> = {
  anthropic: anthropicFixtures(() => server),
  "openai-chat": chatFixtures(() => server),
  "openai-responses": responsesFixtures(() => server),
  gemini: geminiFixtures(() => server),
};

function fixturesOf({ name }: WireAdapter): AdapterFixtures {
  const fixtures = FIXTURES[name];
  if (fixtures === undefined) throw new Error(`There are no fixtures of ${name} in test/support/adapter-fixtures.ts.`);
  return fixtures;
}

describe.each(WIRE_ADAPTERS)("$name", (adapter) => {
  for (const { name, run } of testAdapter(adapter, fixturesOf(adapter))) test(name, run);
});

describe("an adapter that breaks the contract is told so", () => {
  const [anthropic] = WIRE_ADAPTERS;
  if (anthropic === undefined) throw new Error("There is no adapter.");
  const breaks = async (changes: Partial<WireAdapter>): Promise<readonly string[]> => {
    const cases = testAdapter({ ...anthropic, ...changes }, fixturesOf(anthropic));
    const broken = await Promise.all(
      cases.map(({ name, run }) =>
        run().then(
          () => [],
          () => [name],
        ),
      ),
    );
    return broken.flat();
  };

  test.each<[string, Partial<WireAdapter>, RegExp]>([
    ["a body that is written anew", { writeRequest: ({ raw }) => JSON.stringify(JSON.parse(raw.body)) }, /same|body/],
    ["folds that are not shown", { writeRequest: ({ raw }) => raw.body }, /a summary: what is written is taken/],
    ["a limit that is not set", { limitReply: (body) => body }, /limits a reply/],
    [
      "a reader of everything",
      { readRequest: ({ body }) => anthropic.readRequest({ path: "/v1/messages", body }) },
      /nothing/,
    ],
    [
      "canonical texts that are all the same",
      {
        readRequest: (raw) => {
          const request = anthropic.readRequest(raw);
          return request && { ...request, canonical: () => "" };
        },
      },
      /canonical text/,
    ],
    [
      "a follower that needs a whole reply at once",
      {
        followReply: () => {
          let follower = anthropic.followReply();
          return {
            push: (text) => {
              follower = anthropic.followReply();
              follower.push(text);
            },
            stage: () => follower.stage(),
            failure: () => follower.failure(),
            usage: () => follower.usage(),
          };
        },
      },
      /pieces/,
    ],
  ])("%s", async (_, changes, expected) => {
    expect((await breaks(changes)).some((name) => expected.test(name))).toBe(true);
  });

  test("one that keeps it is not", async () => {
    expect(await breaks({})).toEqual([]);
  });
});
