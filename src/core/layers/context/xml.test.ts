import { XMLParser } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { xmlElement, xmlText } from "./xml.ts";

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
});

describe("an element", () => {
  test.each([
    "a < b && c > d",
    "]]>",
    "<![CDATA[x]]>",
    "\ttab\nline\r\n",
    "\"quoted\" 'too'",
    "&lt;&#10;",
    "👩‍💻 配置",
    "\u0085\u2028\u007f",
  ])("says %j as text and as attribute, and is read back the same", (text) => {
    const read = parser.parse(xmlElement("item", { note: text }, text)).item;
    expect(read).toEqual({ "#text": text, note: text });
  });

  test("replaces what XML cannot say: control characters, halves of pairs, and two that are no characters", () => {
    expect(xmlText("a\u0000\u0008\u000b\u001fb\ud800c\udfff\ufffe\uffff")).toBe("a����b�c���");
    expect(xmlElement("item", { note: "\u0000\ud800" }, "")).toBe('<item note="��"/>\n');
    expect(xmlText("😀 \u{1fffe}")).toBe("😀 \u{1fffe}");
  });

  test("leaves arrows of code alone, leaves out attributes without a value, and closes itself where it is empty", () => {
    expect(xmlText("() => x->y")).toBe("() => x->y");
    expect(xmlElement("item", { a: undefined, b: 0 }, "x")).toBe('<item b="0">x</item>\n');
    expect(xmlElement("item", {}, "")).toBe("<item/>\n");
  });
});
