import { expect } from "vitest";
import type { ModelServer } from "../../src/testing/index.ts";
import type { SdkClient, SdkKind } from "./gateway-client.ts";
import { work } from "./gateway-sessions.ts";
import { startGatewayBefore, startServer } from "./gateway-world.ts";
import { waitFor } from "./loopback.ts";

/** Of the sessions that are compared. */
export const COMPARED_WINDOW = 16_000;
export const COMPARED_TURNS = 40;

export interface UndisturbedOptions {
  readonly name: string;
  /** Whether the client gives up on a step in the middle and sends it again. */
  readonly losesStep: boolean;
}

/** The bodies that one gateway sends while it runs on. */
export async function undisturbed(
  { open }: SdkKind,
  { name, losesStep }: UndisturbedOptions,
): Promise<readonly string[]> {
  const server = await startServer({ contextWindow: COMPARED_WINDOW });
  const { gateway } = await startGatewayBefore(server, { windows: { all: COMPARED_WINDOW } });
  const client = open({ url: () => gateway.url });
  client.say("Read all files.");
  const outputs = await work(client, { name, turns: COMPARED_TURNS / 2 });
  if (losesStep) {
    const aborted = new AbortController();
    const lost = loseStep(client, server, aborted.signal);
    await lost.isUnderWay;
    aborted.abort();
    expect(await lost.outcome).toBe("failed");
  }
  await work(client, { name, turns: COMPARED_TURNS / 2, outputsBefore: outputs });
  return server.requests.map(({ rawBody }) => rawBody);
}

/** Sends a step that is never answered. */
export function loseStep(client: SdkClient, server: ModelServer, signal?: AbortSignal) {
  server.script({ type: "hang" });
  const outcome = client.ask(false, signal).then(
    () => "answered",
    () => "failed",
  );
  return { outcome, isUnderWay: waitFor(() => server.requests.at(-1)?.outcome === "fault") };
}

/** The first place at which two lists of bodies differ; -1 where they are the same. */
export function firstDifference(bodies: readonly string[], expected: readonly string[]): number {
  return bodies.length === expected.length
    ? bodies.findIndex((body, index) => body !== expected[index])
    : Number.POSITIVE_INFINITY;
}
