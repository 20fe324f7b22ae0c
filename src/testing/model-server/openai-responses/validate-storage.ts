import type { JsonObject } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { inputItems, isReasoning, typeOf } from "./items.ts";
import { isForgedSeal } from "./output-ids.ts";

/** Faults of requests that count on what an earlier response left with the provider: this server keeps none. */
export function* storageFaults(body: JsonObject): Generator<Refusal> {
  const previous = body.previous_response_id;
  if (typeof previous === "string") {
    yield refuse(`Previous response with id '${previous}' not found.`, {
      parameter: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  for (const item of inputItems(body.input)) {
    if (typeOf(item) === "item_reference") yield notFound(item, "");
    if (!isReasoning(item)) continue;
    // thoughts that are not sealed are known to the provider only by their id
    if (body.store === false && typeof item.id === "string" && typeof item.encrypted_content !== "string") {
      yield notFound(
        item,
        " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
      );
    }
    if (isForgedSeal(item)) {
      yield refuse(
        `The encrypted content for item ${String(item.id)} could not be verified. Reason: Encrypted content item_id did not match the target item id.`,
        { code: "invalid_encrypted_content" },
      );
    }
  }
}

function notFound({ id }: JsonObject, advice: string): Refusal {
  return refuse(`Item with id '${String(id)}' not found.${advice}`, { status: 404, parameter: "input" });
}
