/** Conversations that came damaged from an agent: folded, they are valid; where they fit, they go as they came. */
import { describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message/message.ts";
import { isFull } from "../chaos/chaos-size.ts";
import { startWorld } from "../support/gateway-world.ts";
import type { KnownWire } from "../support/known-wires.ts";
import { assistant, call, result, user } from "../support/messages.ts";
import { RAW_WIRES, type RawWire } from "../support/raw-bodies.ts";

const CONTEXT_WINDOW = 12_000;
/** About 600 tokens each. */
const STEPS = 40;
const REPLY = { type: "text", text: "Done." } as const;

const step = (index: number): readonly Message[] => [
  assistant(`Step ${index}.`, call(`c${index}`, "read_file", { path: `src/file-${index}.ts` })),
  user(result(`c${index}`, `export const value${index} = ${index};\n`.repeat(60))),
];

/** Work with damage before one of its steps, or behind all of them. */
function work(damaged: readonly Message[], { at, steps = STEPS }: { readonly at: number; readonly steps?: number }) {
  const indexes = Array.from({ length: steps }, (_, index) => index);
  return [
    user("Read all files, then report."),
    ...indexes.flatMap((index) => [...(index === at ? damaged : []), ...step(index)]),
    ...(at === steps ? damaged : []),
    user("Go on."),
  ];
}

const aborted = assistant("I look.", call("aborted", "read_file", { path: "src/aborted.ts" }));
const twoCalls = assistant(call("one", "read_file", { path: "a" }), call("two", "read_file", { path: "b" }));

const DAMAGES: Readonly<Record<string, readonly Message[]>> = {
  "an aborted call": [aborted, user("Never mind, go on.")],
  "one of two results is missing": [twoCalls, user(result("one", "a is there"))],
  "a result without a call": [assistant("Hm."), user(result("nobody", "lost"))],
  "a doubled result": [
    assistant(call("twice", "read_file", { path: "a" })),
    user(result("twice", "once")),
    assistant("Hm."),
    user(result("twice", "again")),
  ],
  "an empty reply": [user("Well?"), assistant(""), user("Still?")],
  "a result far from its call": [aborted, user("Wait."), assistant("I wait."), user(result("aborted", "late"))],
};

/** What the provider takes by itself: so is the rest real damage. */
const TAKEN: Readonly<Record<KnownWire, readonly string[]>> = {
  anthropic: [],
  "openai-chat": ["an empty reply"],
  "openai-responses": ["an empty reply", "a result far from its call"],
  gemini: [],
};

async function post(url: string, { path, headers }: RawWire, body: object): Promise<Response> {
  const request = { "content-type": "application/json", ...headers };
  return fetch(url + path, { method: "POST", headers: request, body: JSON.stringify(body) });
}

async function startDamaged() {
  return startWorld({
    server: { contextWindow: CONTEXT_WINDOW, reply: () => REPLY },
    gateway: { windows: { all: CONTEXT_WINDOW } },
  });
}

const PLACES: readonly (readonly [where: string, at: number])[] = [
  ["long ago", 1],
  ["among the newest messages", STEPS - 1],
  ["at the end", STEPS],
];

/** In the short version each wire and damage has one place, in turn. */
function placesOf(wire: RawWire, name: string) {
  const turn = RAW_WIRES.indexOf(wire) + Object.keys(DAMAGES).indexOf(name);
  return PLACES.filter((_, index) => isFull || index === turn % PLACES.length);
}

describe.each(RAW_WIRES)("$wire", (wire) => {
  describe.each(Object.entries(DAMAGES))("%s", (name, damaged) => {
    test.each(placesOf(wire, name))("%s is taken where we fold, and sent the same again", async (_, at) => {
      const world = await startDamaged();
      const messages = work(damaged, { at });
      const later = [...messages, assistant("Done."), user("And now?")];
      for (const said of [messages, messages, later]) {
        const response = await post(world.url(), wire, wire.body(said));
        if (response.status !== 200) throw new Error(await response.text());
      }
      expect(world.incidents).toEqual([]);
      expect(world.turns[0]?.foldIds.length).toBeGreaterThan(0);
      const [first, again] = world.server.requests.map(({ rawBody }) => rawBody);
      expect(again).toBe(first);
    });

    test("goes as it came where nothing is folded", async () => {
      const world = await startDamaged();
      const body = wire.body(work(damaged, { at: 2, steps: 3 }));
      const response = await post(world.url(), wire, body);
      expect(response.status).toBe(TAKEN[wire.wire].includes(name) ? 200 : 400);
      expect(world.server.requests.map(({ rawBody }) => rawBody)).toEqual([JSON.stringify(body)]);
    });
  });
});
