/** Agents that have their history summarised by the model, in windows that it does not fit. */
import { describe, expect, test } from "vitest";
import { sized } from "../chaos/chaos-size.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { finish, readLog, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 32_000;
/** Less a tenth, and a quarter for the reply of those who do not say how long it may be. */
const LEAST_ALLOWED = WINDOW * 0.65;
const WISH = "Your task is to create a detailed summary of the conversation so far.";

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test.each(sized({ full: [12, 24, 60], short: [12, 24] }))(
    "a wish for a summary after %d turns shows all, or all that has room",
    async (turns) => {
      const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
      const client = open({ url: world.url });
      client.say("Read all files.");
      await work(client, { name: "whole", turns });
      client.say(WISH);
      world.server.script({ type: "text", text: "Files were read." });
      expect((await client.ask(true)).text).toBe("Files were read.");
      const wish = world.server.requests.at(-1);
      const { body = "", replyHeaders = {} } = world.sent.at(-1) ?? {};
      expect(invalidRequests(world.server)).toEqual([]);
      expect(tooLongRequests(world.server)).toEqual([]);
      if (turns === 12) expect(wish?.rawBody).toBe(body);
      else expect(wish?.promptTokens).toBeGreaterThan(0.85 * LEAST_ALLOWED);
      expect(wish?.rawBody).toContain(WISH);
      expect(replyHeaders["x-palimpsest-session"]).toBeUndefined();
      client.say("Go on.");
      expect(await finish(client, world)).toBe("All is read.");
      expect(world.incidents).toEqual([]);
      const [id = ""] = sessionIds(world);
      expect((await readLog(world.gateway.url, id)).length).toBeGreaterThan(turns * 2);
    },
  );
});
