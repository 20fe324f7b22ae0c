import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, type WireMessage } from "../../../test/support/gateway-turns.ts";

const MOST_IMAGES = 100;
const MINE = { "x-palimpsest-session": "mine" };

function imageOf(step: number) {
  const data = `${step}`.padStart(4, "A").padEnd(12_000, "A");
  return { type: "image", source: { type: "base64", media_type: "image/png", data } };
}

/** An agent that looks at a picture in each step: small ones, though many. */
function pictures(count: number): readonly WireMessage[] {
  const messages: WireMessage[] = [{ role: "user", content: "Describe the pictures." }];
  for (let step = 0; step < count; step++) {
    const id = `call-${step}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { step } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [imageOf(step)] }] },
    );
  }
  return messages;
}

/** The numbers of the pictures that reach the model. */
async function imagesSent(gateway: ReturnType<typeof gatewayTurns>, count: number): Promise<readonly number[]> {
  const request = asking(pictures(count), { headers: MINE });
  const { body = String(request.body) } = await gateway.exchange(request);
  return [...body.matchAll(/"type":"image".*?"data":"A*(\d+)/g)].map(([, step]) => Number(step));
}

// Its tokens fit by far, and its bytes too: only the number of its images may not.
const ROOMY = { window: 10_000_000 };

describe("a request to an API that takes a hundred images", () => {
  test("shows every one of a hundred", async () => {
    const sent = await imagesSent(gatewayTurns(ROOMY), MOST_IMAGES);
    expect(sent).toEqual(Array.from({ length: MOST_IMAGES }, (_, step) => step));
  });

  test("hides the oldest of more", async () => {
    const gateway = gatewayTurns(ROOMY);
    const sent = await imagesSent(gateway, MOST_IMAGES + 20);
    expect(sent.length).toBeLessThanOrEqual(MOST_IMAGES);
    expect(sent).toContain(MOST_IMAGES + 19);
    expect(sent).not.toContain(0);
    expect(gateway.incidents).toEqual([]);
  });

  test("hides the oldest in a question on the side too, which belongs to no session", async () => {
    const gateway = gatewayTurns(ROOMY);
    const images = Array.from({ length: MOST_IMAGES + 20 }, (_, step) => imageOf(step));
    const question = { role: "user", content: [...images, { type: "text", text: "Give these a title." }] } as const;
    const request = asking([question], { more: { tools: [] } });
    const { body = String(request.body) } = await gateway.exchange(request);
    expect(body.match(/"type":"image"/g)?.length).toBeLessThanOrEqual(MOST_IMAGES);
    expect(gateway.incidents).toEqual([]);
  });

  test("hides the oldest when it grows beyond them", async () => {
    const gateway = gatewayTurns(ROOMY);
    expect(await imagesSent(gateway, MOST_IMAGES)).toHaveLength(MOST_IMAGES);
    const sent = await imagesSent(gateway, MOST_IMAGES + 1);
    expect(sent.length).toBeLessThanOrEqual(MOST_IMAGES);
    expect(sent).toContain(MOST_IMAGES);
  });
});
