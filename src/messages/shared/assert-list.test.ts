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

const WHOLE_RESPONSES = [
  ["fromAiSdk", fromAiSdk, { text: "Hi.", response: { messages: [] } }, "result.response.messages"],
  ["fromGemini", fromGemini, { candidates: [{ content: { parts: [] } }] }, "[response.candidates[0].content]"],
  ["fromLangChain", fromLangChain, { messages: [], structuredResponse: {} }, "result.messages"],
  ["fromOpenAiChat", fromOpenAiChat, { object: "chat.completion", choices: [] }, "[completion.choices[0].message]"],
  ["fromOpenAiResponses", fromOpenAiResponses, { object: "response", output: [] }, "response.output"],
] as const;

test.each(WHOLE_RESPONSES)("%s says which part of a whole response it takes", (_, from, response, messages) => {
  const advice = `of a response of the client, pass ${messages}.`;
  expect(() => from(untyped(response))).toThrow(`is an object; it must be an array; ${advice}`);
  expect(() => from(untyped([response]))).toThrow(`[0] is an object; it must be a message; ${advice}`);
});
