import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { cutBody, cutBodyInSteps, piecesOf } from "./cut-body.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
function textsOf(body: string): readonly string[] {
  const bytes = encode(body);
  return [...piecesOf(bytes, cutBody(bytes))].map(({ start, end }) => decode(bytes.subarray(start, end)));
}
const long = (letter: string) => letter.repeat(300);

describe("pieces of a body", () => {
  test("are what stands before the messages, each message, and what follows them", () => {
    const said = ["a", "b", "c"].map((letter) => `{"role":"user","content":"${long(letter)}"}`);
    const head = `{"model":"claude-haiku-4-5","max_tokens":1000,"temperature":0.25,"messages":[`;
    expect(textsOf(`${head}${said.join(",")}],"stream":true}`)).toEqual([
      head,
      said[0],
      `,${said[1]}`,
      `,${said[2]}`,
      `],"stream":true}`,
    ]);
  });

  test("are each tool and each long text, in whatever object of the body they are", () => {
    const tool = `{"name":"read","description":"${long("d")}"}`;
    const body = `{"request":{"system":"${long("s")}","tools":[${tool},${tool}]},"project":"p"}`;
    expect(textsOf(body)).toContain(`,${tool}`);
    expect(textsOf(body)).toContain(`{"request":{"system":"${long("s")}"`);
  });

  const short = Array.from({ length: 400 }, (_, index) => `{"role":"user","content":"${"ok ".repeat(index % 13)}"}`);

  test("hold several short messages each, and no more than a kilobyte of them", () => {
    const pieces = textsOf(`{"messages":[${short.join(",")}]}`);
    expect(pieces.length).toBeLessThan(short.length / 3);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1_024 + 100);
  });

  test("are soon the same again behind a short message that is gone", () => {
    const before = new Set(textsOf(`{"messages":[${short.join(",")}]}`));
    const others = textsOf(`{"messages":[${short.toSpliced(20, 1).join(",")}]}`).filter((piece) => !before.has(piece));
    expect(others.length).toBeLessThan(3);
  });

  test("are not cut inside of a message, whatever it quotes", () => {
    const message = `{"role":"user","content":[{"type":"text","text":"${long("x")}"},{"type":"text","text":"\\"]},{[ ${long("y")}"}]}`;
    expect(textsOf(`{"messages":[${message}]}`)).toEqual([`{"messages":[${message}`, "]}"]);
  });

  test("are the bytes themselves, whatever they are, and small ones stay together", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" })), (body) => {
        expect(textsOf(body).join("")).toBe(decode(encode(body)));
      }),
      PROPERTY_RUNS,
    );
    expect(textsOf(`[${"{},".repeat(100)}{}]`).length).toBeLessThan(7);
  });

  const field = fc.oneof(
    fc.string({ maxLength: 500 }),
    fc.array(fc.record({ text: fc.string({ maxLength: 120 }) }), { maxLength: 6 }),
    fc.integer(),
  );
  const body = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), field).map((value) => JSON.stringify(value));

  test("are the same whether or not an earlier body with the same beginning is known", () => {
    fc.assert(
      fc.property(body, body, fc.nat(), (one, other, place) => {
        const next = encode(one.slice(0, place % (one.length + 1)) + other);
        const before = encode(one);
        let shared = 0;
        while (shared < before.length && before[shared] === next[shared]) shared++;
        expect(cutBody(next, { known: cutBody(before), sharedBytes: shared })).toEqual(cutBody(next));
      }),
      PROPERTY_RUNS,
    );
  });

  test("are the same in steps of any size", () => {
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 2_000 }), (text, stepBytes) => {
        expect(cutBody(encode(text), { stepBytes })).toEqual(cutBody(encode(text)));
      }),
      PROPERTY_RUNS,
    );
  });

  test("are found in as many steps as the body is long", () => {
    const bytes = encode(JSON.stringify({ messages: Array.from({ length: 1_000 }, () => ({ text: long("x") })) }));
    let steps = 0;
    for (const _ of cutBodyInSteps(bytes, { stepBytes: 10_000 })) steps += 1;
    expect(steps).toBeGreaterThan(bytes.length / 10_400 - 1);
  });
});
