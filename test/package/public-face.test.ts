import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { readDoors } from "../../scripts/public-face.ts";

const doors = readDoors(resolve(import.meta.dirname, "../.."));

/** What the founding systems call what Palimpsest does; each is a value of `palimpsest/compat`. */
const FOUNDING_NAMES = [
  ...["TOKEN_BUFFER_PERCENTAGE", "TOKEN_FUDGE_FACTOR", "tiktoken", "estimateTokenCount", "tokenLimit"],
  ...[
    "manageContext",
    "truncateConversationIfNeeded",
    "willManageContext",
    "MIN_CONDENSE_THRESHOLD",
    "MAX_CONDENSE_THRESHOLD",
  ],
  ...["summarizeConversation", "N_MESSAGES_TO_KEEP", "getMessagesSinceLastSummary", "getKeepMessagesWithToolBlocks"],
  ...["ChatCompressionService", "CompressionStatus", "findCompressSplitPoint"],
  ...["DEFAULT_COMPRESSION_TOKEN_THRESHOLD", "COMPRESSION_PRESERVE_THRESHOLD"],
  ...["truncateConversation", "getEffectiveApiHistory", "cleanupAfterTruncation", "restoreMessages", "MessageManager"],
  ...["detectPairs", "hasOpenToolUse", "getPairPartner", "createPluginRegistry"],
  ...["createInitialState", "ContextBuilder", "scoreMessage", "selectMessages", "projectTools", "ModernContextEngine"],
];

const FOUNDING_TYPES = [
  ...["Message", "ContextManagementResult", "CondensationPlugin", "CondensationValidator", "LayeredState"],
];

const namesOf = (specifier: string, kind: "values" | "types") =>
  doors.find((door) => door.specifier === specifier)?.[kind].map(({ name }) => name) ?? [];

test("the root has at most 40 values", () => {
  const values = namesOf("palimpsest", "values");
  expect(values).toEqual(expect.arrayContaining(["createEngine", "compact", "modelCondenser", "PalimpsestError"]));
  expect(values.length).toBeLessThanOrEqual(40);
});

test("every type of the root is needed by a signature of one of its values", () => {
  const root = doors.find(({ specifier }) => specifier === "palimpsest");
  expect(root?.unreachable.map(({ name, file }) => `${name} (${file})`)).toEqual([]);
});

test("palimpsest/compat has every founding name", () => {
  expect(namesOf("palimpsest/compat", "values")).toEqual(expect.arrayContaining(FOUNDING_NAMES));
  expect(namesOf("palimpsest/compat", "types")).toEqual(expect.arrayContaining(FOUNDING_TYPES));
});

describe.each(doors)("$specifier", ({ specifier, values, unexported }) => {
  test("exports every type that its declarations name", () => {
    expect(unexported.map(({ name, file, namedBy }) => `${name} (${file}), named by ${namedBy}`)).toEqual([]);
  });

  test("exports when it runs what its declarations say", async () => {
    const module: Record<string, unknown> = await import(specifier);
    expect(Object.keys(module).toSorted()).toEqual(values.map(({ name }) => name).toSorted());
  });
});
