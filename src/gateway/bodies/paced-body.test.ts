import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import { readJsonBody } from "./json-body.ts";
import { readJsonBodyPaced } from "./paced-body.ts";

const PATHS = [["messages"], ["request", "contents"]];

/** Pauses at every step, and counts the steps. */
function countingPacer(): Pacer & { readonly pauses: () => number } {
  let pauses = 0;
  return {
    pause: () => {
      pauses += 1;
      return Promise.resolve();
    },
    pauses: () => pauses,
  };
}

async function readBoth(text: string) {
  const bytes = Buffer.from(text);
  const paced = await readJsonBodyPaced(bytes, PATHS, countingPacer());
  return { paced, whole: readJsonBody(bytes, PATHS) };
}

const messages = '[{"role":"user","content":"é \\"x\\" \\\\"}, 1 ,null,[{"a":"]}"}],"\\\\\\""]';

describe("a body that is read in slices", () => {
  test.each([
    ["a list in the body", `{"model":"m","messages":${messages},"stream":true}`],
    ["space everywhere", ` { "model" : "m" ,\n"messages" : [ 1 ,\t{ } , 2 ] , "x" : [] } \n`],
    ["a list in a request within the body", `{"request":{"a":1,"contents":${messages},"b":2},"z":3}`],
    ["both lists, of which the first path counts", `{"request":{"contents":[1]},"messages":[2,3]}`],
    ["an empty list", `{"messages":[]}`],
    ["no list", `{"messages":"none"}`],
    ["the list twice, of which the last counts", `{"messages":[1,2],"messages":[3]}`],
    ["something else of its name further on", `{"messages":[1,2],"messages":null}`],
    ["its name with an escape", `{"mess\\u0061ges":[1,2]}`],
    ["its name with an escape further on", `{"messages":[1,2],"mess\\u0061ges":[3]}`],
    ["its name within a value before it", `{"system":"\\"messages\\":[9]","messages":[1]}`],
    ["names with escapes in an item", `{"messages":[{"\\u0061":1,"b":2},{"a":3}]}`],
    ["a body that is a list", "[1,2]"],
    ["a text behind it", `{"messages":[1]} 2`],
    ["a comma too many", `{"messages":[1,2,]}`],
    ["a comma too few", `{"messages":[{} {}]}`],
    ["no end", `{"messages":[1,{"a":"b`],
    ["a broken item", `{"messages":[1,{"a":tru},2]}`],
    ["what is broken behind it", `{"messages":[1,2],"x":}`],
    ["what is no space to JSON", `{"messages":[1,\u000b2]}`],
    ["brackets that do not match", `{"messages":[{"a":[1}],2]}`],
    ["nothing", ""],
  ])("is what JSON says: %s", async (_what, text) => {
    const { paced, whole } = await readBoth(text);
    expect(paced.value).toEqual(tryParseJson(text));
    expect(JSON.stringify(paced.value)).toBe(JSON.stringify(whole.value));
    if (whole.value === undefined) return;
    expect(paced.listPath).toEqual(whole.listPath);
    expect(paced.places()).toEqual(whole.places());
  });

  test("is what JSON says, whatever stands in it and wherever it is cut or changed", async () => {
    const place = fc.constantFrom<readonly string[]>(["messages"], ["request", "contents"]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        place,
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat(),
        fc.string(),
        async (items, path, fields, at, typed) => {
          const text = JSON.stringify(
            path.reduceRight<unknown>((inner, name) => ({ ...fields, [name]: inner }), items),
            undefined,
            at % 3,
          );
          const changed = text.slice(0, at % text.length) + typed + text.slice((at % text.length) + 1);
          for (const each of [text, changed]) {
            const { paced, whole } = await readBoth(each);
            expect(JSON.stringify(paced.value)).toBe(JSON.stringify(whole.value));
            if (whole.value !== undefined) expect(paced.places()).toEqual(whole.places());
          }
        },
      ),
      PROPERTY_RUNS,
    );
  });

  test("is parsed in parts, with a pause between them, and not in one go", async () => {
    const items = Array.from({ length: 40 }, (_, index) => ({ role: "user", content: `${index} `.repeat(20_000) }));
    const bytes = Buffer.from(JSON.stringify({ messages: items }));
    const pacer = countingPacer();
    const { value } = await readJsonBodyPaced(bytes, PATHS, pacer);
    expect(value).toEqual({ messages: items });
    // one for each item that was found, and one for each part
    expect(pacer.pauses()).toBeGreaterThan(items.length + bytes.length / 262_144);
  });
});
