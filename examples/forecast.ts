import {
  anchor,
  countMessagesTokens,
  createForecast,
  findModel,
  forecast,
  type Message,
  rebase,
} from "palimpsest/core";

// Start with the model's known ratio; each report makes the forecast more exact.
let state = createForecast({ tokenRatio: findModel("claude-sonnet-4-5").tokenRatio ?? 1 });
let sent: readonly Message[] = [];

for (let turn = 1; turn <= 3; turn++) {
  const content = `Turn ${turn}: ${"the light blinks twice. ".repeat(200 * turn)}`;
  const newMessages: readonly Message[] = [{ role: "user", content }];
  const promptTokens = forecast(state, newMessages); // before the request
  sent = [...sent, ...newMessages];
  const usage = askYourModel(sent);
  state = anchor(state, usage, { newMessages }); // after it, with the usage that it reported
  console.log(`forecast ${promptTokens}, reported ${usage.inputTokens}`);
}

// A fold rewrites the prompt: the next forecast counts it anew, with the ratio that was learned.
state = rebase(state);
console.log(`forecast ${forecast(state, sent)} for the whole`);

// Stands for a model that makes 1.3 tokens of one of ours, and has a system prompt.
function askYourModel(messages: readonly Message[]) {
  return { inputTokens: Math.round(100 + 1.3 * countMessagesTokens(messages)) };
}
