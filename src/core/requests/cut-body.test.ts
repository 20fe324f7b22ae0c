import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { cutBody, piecesOf } from "./cut-body.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const textsOf = (body: string) => piecesOf(encode(body), cutBody(encode(body))).map(decode);
const long = (letter: string) => letter.repeat(300);

describe("pieces of a body", () => {
  test("are what stands before the messages, each message, and what follows them", () => {
    const said = ["a", "b", "c"].map((letter) => `{"role":"user","content":"${letter.repeat(70)}"}`);
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
    const tool = `{"name":"read","description":"${"d".repeat(80)}"}`;
    const body = `{"request":{"system":"${long("s")}","tools":[${tool},${tool}]},"project":"p"}`;
    expect(textsOf(body)).toContain(`,${tool}`);
    expect(textsOf(body)).toContain(`{"request":{"system":"${long("s")}"`);
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
        expect(cutBody(next, cutBody(before), shared)).toEqual(cutBody(next));
      }),
      PROPERTY_RUNS,
    );
  });
});
