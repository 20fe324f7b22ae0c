/** What fails upstream, as a real client sees it through the gateway. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { type RecordedExchange, startRecorder } from "../agents/start-recorder.ts";
import type { SdkClient } from "../support/gateway-client.ts";
import { finish, listSessions, readLog, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer, startWorld } from "../support/gateway-world.ts";
import { closeAll, startUpstream, waitFor } from "../support/loopback.ts";

afterEach(closeAll);

const CALLS = [{ id: "call_cut", name: "read_file", input: { path: "src/cut.ts" } }];

const FAULTS: readonly (readonly [string, ScriptedReply, "streaming" | "not streaming"])[] = [
  ["429 with retry-after", { type: "error", status: 429, message: "Slow down.", retryAfterSeconds: 7 }, "streaming"],
  ["429 with retry-after", { type: "error", status: 429, retryAfterSeconds: 7 }, "not streaming"],
  ["500", { type: "error", status: 500, message: "It broke." }, "not streaming"],
  ["529", { type: "error", status: 529, message: "Overloaded." }, "streaming"],
  ["a cut stream", { type: "cut", text: "I will now", calls: CALLS }, "streaming"],
  ["a cut reply", { type: "cut", text: "I will now", calls: CALLS }, "not streaming"],
  ["a stream that trails off", { type: "trail-off", text: "I will now", calls: CALLS }, "streaming"],
  ["half a reply", { type: "trail-off", text: "I will now", calls: CALLS }, "not streaming"],
  ["a stream that opens and is cut", { type: "cut", text: "", opensForMs: 400 }, "streaming"],
  ["a stream that opens and hears of a fault", { type: "late-error", status: 529, opensForMs: 400 }, "streaming"],
  ["garbage", { type: "garbage" }, "streaming"],
  ["garbage", { type: "garbage" }, "not streaming"],
];

/** Headers that are the same wherever a reply comes from. */
function endToEnd(headers: IncomingHttpHeaders): object {
  const { date: _, connection: __, "keep-alive": ___, "transfer-encoding": ____, ...rest } = headers;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith("x-palimpsest-")));
}

interface Told {
  readonly reply: Pick<RecordedExchange, "status" | "reply"> & { readonly headers: object };
  readonly error: string;
}

/** Works, meets the fault, asks again, and goes on to the end. */
async function meetFault(
  client: SdkClient,
  { sent, meet, isStreaming }: { sent: readonly RecordedExchange[]; meet: () => void; isStreaming: boolean },
): Promise<Told> {
  client.say("Read all files.");
  const outputs = await work(client, { name: "fault", turns: 4 });
  meet();
  const error = await client.ask(isStreaming).then(
    () => "no error",
    (thrown: unknown) => (thrown instanceof Error ? `${thrown.constructor.name}: ${thrown.message}` : String(thrown)),
  );
  const { status, reply = "", replyHeaders = {} } = sent.at(-1) ?? {};
  await work(client, { name: "fault", turns: 3, outputsBefore: outputs });
  return { reply: { status, reply, headers: endToEnd(replyHeaders) }, error };
}

describe.each(SDK_KINDS)("$name", ({ open, api }) => {
  test.each(FAULTS)("sees %s as it would without us, and goes on (%#)", async (_, fault, way) => {
    const isStreaming = way === "streaming";
    const server = await startServer();
    const recorder = await startRecorder(server.url);
    onTestFinished(() => recorder.close());
    const direct = await meetFault(open({ url: () => recorder.url }), {
      sent: recorder.exchanges,
      meet: () => server.script(fault),
      isStreaming,
    });

    const world = await startWorld();
    const client = open({ url: world.url });
    const met = await meetFault(client, { sent: world.sent, meet: () => world.server.script(fault), isStreaming });
    expect(met).toEqual(direct);
    expect(met.error).not.toBe("no error");
    expect(world.incidents).toEqual([]);

    await finish(client, world);
    const [id = ""] = sessionIds(world);
    expect(await listSessions(world.gateway.url)).toEqual([id]);
    const log = await readLog(world.gateway.url, id);
    expect(new Set(log).size).toBe(log.length);
    for (let output = 0; output < 7; output++) {
      expect(log.filter((message) => message.includes(`passcode of faultgate${output}x`))).toHaveLength(1);
    }
    expect(log).toHaveLength(1 + 7 * 2);
    expect(api).toBe(world.turns[0]?.api);
  });

  test.each([
    { what: "before the upstream answers", begin: () => {} },
    {
      what: "while the upstream speaks",
      begin: (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": still thinking\n\n");
      },
    },
  ])("an abort $what reaches the upstream", async ({ begin }) => {
    let isOpen = true;
    const upstream = await startUpstream((response) => {
      response.once("close", () => {
        isOpen = false;
      });
      begin(response);
    });
    const { gateway, turns } = await startGatewayBefore(upstream);
    const client = open({ url: () => gateway.url });
    client.say("Read all files.");
    const aborted = new AbortController();
    const asked = client.ask(true, aborted.signal).then(
      () => "no error",
      () => "error",
    );
    await waitFor(() => upstream.requests.length === 1);
    expect(isOpen).toBe(true);
    aborted.abort();
    expect(await asked).toBe("error");
    await waitFor(() => !isOpen);
    await waitFor(() => turns.length === 1);
    expect(turns[0]).toMatchObject({ isComplete: false });
  });
});
