import { expect, test } from "vitest";
import type { Block } from "../../core/message/message.ts";
import { toAnthropic, toGemini, toOpenAiResponses } from "../index.ts";

const data = "iVBORw0KGgo=".repeat(1_000);

// A part of another client that was appended as it is: its bytes would be read, and paid, as text.
test.each<Block>([
  { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
  { type: "input_audio", input_audio: { data, format: "wav" } },
])("a $type that a wire does not know is a line, and not its bytes", (block) => {
  const messages = [{ role: "user", content: [block] }] as const;
  for (const convert of [toAnthropic, toGemini, toOpenAiResponses]) {
    const written = JSON.stringify(convert(messages));
    expect(written).toContain(`[Not shown here: ${block.type}]`);
    expect(written).not.toContain(data.slice(0, 100));
  }
});
