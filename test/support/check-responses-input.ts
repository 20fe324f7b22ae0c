/** The rules that servers of OpenAI's Responses API have for `input`, the strictest of each: the model server's, and then some. */
import { tryParseJson } from "../../src/core/json/parse-json.ts";
import { asRecord } from "../../src/core/json/read-json.ts";
import { type JsonObject, objectsOf, stringOf } from "../../src/testing/model-server/json.ts";
import { inputItems, isReasoning, typeOf } from "../../src/testing/model-server/openai-responses/items.ts";
import type { ReasoningRules } from "../../src/testing/model-server/openai-responses/validate-input.ts";
import { inputFaults } from "../../src/testing/model-server/openai-responses/validate-input.ts";

/** Why a server would refuse this body; none means that it is accepted. `stored` are items that the server has kept. */
export function checkResponsesInput(body: string, stored: readonly unknown[] = []): readonly string[] {
  const request = asRecord(tryParseJson(body));
  if (request === undefined) return ["The body is no JSON object."];
  const faults = inputFaults(request.input, { dialect: "strictest", ...rulesOf(objectsOf(stored)) });
  return [...[...faults].map(({ message }) => message), ...checkOpenCalls(inputItems(request.input))];
}

/** A server that has kept the items knows what led to what. */
function rulesOf(stored: readonly JsonObject[]): ReasoningRules {
  const followers = new Map(stored.map((item, index) => [nameOf(item), stored[index + 1]]));
  const leaders = new Map(stored.map((item, index) => [nameOf(item), stored[index - 1]]));
  return {
    leaderOf(item) {
      const leader = leaders.get(nameOf(item));
      return isReasoning(leader) ? stringOf(leader?.id) : undefined;
    },
    mayFollow(reasoning, next) {
      const follower = followers.get(nameOf(reasoning));
      return follower?.id === undefined || nameOf(next) === nameOf(follower);
    },
  };
}

/** The same item is known by its id, whatever was changed in it. */
function nameOf(item: JsonObject): string {
  return stringOf(item.id) || JSON.stringify(item);
}

/** DeepSeek refuses all but reasoning and other calls between a call and its output, and a call that nobody answered yet. */
function checkOpenCalls(items: readonly JsonObject[]): readonly string[] {
  const problems: string[] = [];
  const open = new Set<string>();
  for (const item of items) {
    const type = typeOf(item);
    const callId = stringOf(item.call_id);
    if (callId !== "" && type.endsWith("_call")) open.add(callId);
    else if (callId !== "" && type.endsWith("_output")) open.delete(callId);
    else if (!isReasoning(item)) {
      for (const id of open) problems.push(`No tool output found for tool call ${id}: a ${type} comes first.`);
      open.clear();
    }
  }
  for (const id of open) problems.push(`No tool output found for tool call ${id}.`);
  return problems;
}
