import { expect, test } from "vitest";
import { untyped } from "../../../test/support/sessions.ts";
import { fromAiSdk, fromAnthropic, fromGemini, fromLangChain, fromOpenAiChat, fromOpenAiResponses } from "../index.ts";

test.each(Object.entries({ fromAiSdk, fromAnthropic, fromGemini, fromLangChain, fromOpenAiChat, fromOpenAiResponses }))(
  "%s says how a reply goes in that was passed by itself",
  (_, from) => {
    const reply = { role: "assistant", content: "Two blinks." };
    expect(() => from(untyped(reply))).toThrow(
      "is an object; it must be an array; a reply goes in as a list of one: [reply].",
    );
  },
);

test("fromOpenAiChat says which part of a completion is the reply", () => {
  expect(() => fromOpenAiChat(untyped([{ object: "chat.completion", choices: [] }]))).toThrow(
    "list[0] is an object; it must be a message with a role; of a completion, that is completion.choices[0].message.",
  );
});
