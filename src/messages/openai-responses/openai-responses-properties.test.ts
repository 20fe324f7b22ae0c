import fc from "fast-check";
import { expect, test } from "vitest";
import { heldMessages } from "../../../test/support/held-messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { fromOpenAiResponses, toOpenAiResponses } from "./index.ts";

test("messages that the wire can hold come back as they were", () => {
  fc.assert(
    fc.property(heldMessages, (messages) => {
      expect(fromOpenAiResponses(toOpenAiResponses(messages).input)).toEqual(messages);
    }),
    PROPERTY_RUNS,
  );
});
