import { expect, test } from "vitest";
import { untyped } from "../../test/support/sessions.ts";
import { memoryStore } from "../stores/memory/index.ts";
import { startGateway } from "./start-gateway.ts";

test.each<[string, object, string]>([
  ["a mistyped option", { prot: 7718 }, "options.prot is not an option. The options are port, host,"],
  [
    "a mistyped upstream",
    { upstreams: { antropic: "http://127.0.0.1:1" } },
    'options.upstreams is "antropic"; it must be URLs of anthropic, openai, gemini.',
  ],
  ["an upstream for all", { upstreams: "http://127.0.0.1:1" }, "options.upstreams is"],
  ["a path in place of a store", { store: "sessions.db" }, 'it must be a store, such as sqliteStore({ path: "sess'],
])("a gateway is not started with %s", async (_, options, problem) => {
  const start = startGateway(untyped({ port: 0, store: memoryStore(), ...options }));
  await expect(start).rejects.toThrow(problem);
});
