import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import type { StoredBlob } from "../../../core/ports/store.ts";
import { createBodyKeeper, type KeptRequest } from "./body-keeper.ts";
import { readBytes, sharedBytes } from "./read-body.ts";

/** Keeps blobs as a store does, and counts those that are asked for. */
function createBlobs() {
  const kept = new Map<string, StoredBlob>();
  let reads = 0;
  return {
    kept,
    add: (blobs: readonly StoredBlob[]) => {
      for (const blob of blobs) if (!kept.has(blob.name)) kept.set(blob.name, blob);
    },
    reads: () => reads,
    place: {
      sessionKey: 1,
      store: {
        readBlobs: async (_: number, names: readonly string[]) => {
          reads += names.length;
          return names.flatMap((name) => kept.get(name) ?? []);
        },
      },
    },
  };
}

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const message = (index: number) => ({ role: index % 2 === 0 ? "user" : "assistant", content: `${index} `.repeat(60) });
const bodyOf = (count: number, system = "You are an agent.") =>
  JSON.stringify({
    model: "m",
    system: system.repeat(30),
    messages: Array.from({ length: count }, (_, at) => message(at)),
    stream: true,
  });

async function keepAll(bodies: readonly string[], blobs = createBlobs(), pause = async () => {}) {
  const keeper = createBodyKeeper(pause);
  const kept: KeptRequest[] = [];
  for (const body of bodies) {
    const request = await keeper.keep({ wire: "w", bytes: encode(body) });
    if (request === undefined) throw new Error("Node has all that it takes.");
    blobs.add(request.blobs);
    kept.push(request);
  }
  return { kept, blobs };
}

describe("bodies of requests", () => {
  test("come back byte for byte, whatever they are and whatever came before", async () => {
    const body = fc.oneof(
      fc.json(),
      fc.string({ unit: "binary" }),
      fc.tuple(fc.nat(40), fc.constantFrom("A", "B")).map(([count, system]) => bodyOf(count, system)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 5 }), async (bodies) => {
        const { kept, blobs } = await keepAll(bodies);
        for (const [index, request] of kept.entries()) {
          expect(decode(await readBytes(blobs.place, request.body))).toBe(decode(encode(bodies[index] ?? "")));
          expect(request.body.bytes).toBe(encode(bodies[index] ?? "").length);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("are kept in steps: others have their turn between them, and what follows costs no pause", async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    await keepAll([bodyOf(4_000)], createBlobs(), pause);
    const first = pauses;
    // Where it is cut, and where its pieces are named.
    expect(first).toBeGreaterThan((1.1 * bodyOf(4_000).length) / 16_384);
    pauses = 0;
    await keepAll([bodyOf(4_000), bodyOf(4_002)], createBlobs(), pause);
    expect(pauses).toBe(first);
  });

  test("are kept once each piece: a request that goes on adds its new messages and a few nodes", async () => {
    const { kept } = await keepAll([bodyOf(2_000), bodyOf(2_002), bodyOf(2_002)]);
    const added = kept.map(({ blobs }) => blobs.length);
    expect(added[0]).toBeGreaterThan(2_000);
    expect(added[1]).toBeLessThan(8);
    expect(added[2]).toBe(0);
  });

  describe("that are large", () => {
    const large = (count: number) =>
      JSON.stringify({ messages: Array.from({ length: count }, (_, at) => ({ at, text: "x".repeat(60_000) })) });

    test("cost what is new in them, too", async () => {
      let pauses = 0;
      const pause = async () => {
        pauses += 1;
      };
      const { kept } = await keepAll([large(80), large(81), large(81)], createBlobs(), pause);
      expect(kept[0]?.body.bytes).toBeGreaterThan(4 * 1024 ** 2);
      expect(kept.map(({ blobs }) => blobs.length > 80)).toEqual([true, false, false]);
      expect(kept[2]?.blobs).toEqual([]);
      const ofThree = pauses;
      pauses = 0;
      await keepAll([large(80)], createBlobs(), pause);
      expect(ofThree - pauses).toBeLessThan(10);
    });

    test("are kept once each piece all the same where too many others came since", async () => {
      const keeper = createBodyKeeper(() => undefined);
      const keep = (count: number) => keeper.keep({ wire: "w", bytes: encode(large(count)) });
      await keep(80);
      for (let other = 0; other < 13; other++) await keepAll([large(81 + other)]);
      expect((await keep(81))?.blobs.length).toBeLessThan(10);
    });
  });

  test("with another system prompt keep the messages that were there", async () => {
    const blobs = createBlobs();
    await keepAll([bodyOf(500)], blobs);
    const before = blobs.kept.size;
    await keepAll([bodyOf(500, "You are another agent.")], blobs);
    expect(blobs.kept.size - before).toBeLessThan(25);
  });

  test("are read in part without the rest", async () => {
    const { kept, blobs } = await keepAll([bodyOf(3_000)]);
    const [request] = kept;
    if (request === undefined) throw new Error("kept");
    const bytes = encode(bodyOf(3_000));
    const from = bytes.length - 500;
    const before = blobs.reads();
    expect(decode(await readBytes(blobs.place, request.body, { from, length: 100 }))).toBe(
      decode(bytes.subarray(from, from + 100)),
    );
    expect(blobs.reads() - before).toBeLessThan(12);
  });

  test("tell how many bytes two of them share, as a comparison of both does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(50), fc.nat(50), fc.boolean(), async (one, other, isSameSystem) => {
        const bodies = [bodyOf(one), bodyOf(other, isSameSystem ? undefined : "You are an agent!")];
        const { kept, blobs } = await keepAll(bodies);
        const [a, b] = kept.map(({ body }) => body);
        if (a === undefined || b === undefined) throw new Error("kept");
        const [x = "", y = ""] = bodies;
        let shared = 0;
        while (shared < Math.min(x.length, y.length) && x[shared] === y[shared]) shared++;
        expect(await sharedBytes(blobs.place, a, b)).toBe(shared);
      }),
      PROPERTY_RUNS,
    );
  });

  test("of which a piece is missing or was changed are refused", async () => {
    const { kept, blobs } = await keepAll([bodyOf(40)]);
    const [request] = kept;
    const [first] = request?.blobs ?? [];
    if (request === undefined || first === undefined) throw new Error("kept");
    blobs.kept.set(first.name, { name: first.name, bytes: Uint8Array.of(0, 65) });
    await expect(readBytes(blobs.place, request.body)).rejects.toMatchObject({ code: "store-damaged" });
    blobs.kept.delete(first.name);
    await expect(readBytes(blobs.place, request.body)).rejects.toMatchObject({ code: "not-found" });
  });
});
