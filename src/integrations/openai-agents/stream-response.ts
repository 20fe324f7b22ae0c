import { asName, fieldAt } from "../../core/json/read-json.ts";
import { type ModelCall, openCall } from "./model-call.ts";
import type { PalimpsestModelOptions } from "./options.ts";
import type { AgentsModel, AgentsModelRequest } from "./types.ts";

/** The events of a streamed response. */
export async function* streamResponse(
  model: AgentsModel,
  request: AgentsModelRequest,
  options: PalimpsestModelOptions,
): AsyncIterable<object> {
  const call = await openCall(request, options);
  if (call === undefined) {
    yield* model.getStreamedResponse(request);
    return;
  }
  const failed = yield* forward(model.getStreamedResponse(call.request()), call);
  if (failed === undefined) return;
  const isShorter = await call.shorten(failed.reason ?? failed.error);
  const final = isShorter ? yield* forward(model.getStreamedResponse(call.request()), call) : failed;
  if (final === undefined) return;
  yield* final.held;
  throw final.error;
}

/** A response that failed before it said anything: nobody has seen any of it, so it can be asked for again. */
interface FailedOpening {
  readonly error: unknown;
  /** Why the API failed it, where a stream was opened: the SDK's own error does not say. */
  readonly reason: unknown;
  readonly held: readonly object[];
}

/** Passes events on, from the first content on. */
async function* forward(
  events: AsyncIterable<object>,
  call: ModelCall,
): AsyncGenerator<object, FailedOpening | undefined> {
  const held: object[] = [];
  let isOpen = false;
  try {
    for await (const event of events) {
      if (!isOpen && isOpening(event)) {
        held.push(event);
        continue;
      }
      if (!isOpen) yield* held;
      isOpen = true;
      if (fieldAt(event, "type") === "response_done") await call.close(fieldAt(event, "response"));
      yield event;
    }
  } catch (error) {
    if (isOpen) throw error;
    return { error, reason: held.map(reasonOf).find((reason) => reason !== undefined), held };
  }
  if (!isOpen) yield* held;
  return undefined;
}

const OPENING_EVENTS: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.failed",
  "error",
]);

function isOpening(event: object): boolean {
  const type = fieldAt(event, "type");
  return (
    type === "response_started" ||
    (type === "model" && OPENING_EVENTS.has(asName(fieldAt(event, "event", "type")) ?? ""))
  );
}

function reasonOf(event: object): unknown {
  return fieldAt(event, "event", "response", "error") ?? undefined;
}
