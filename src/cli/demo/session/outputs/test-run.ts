import { capitalized, ENTITIES, type Entity, plural, separated } from "../project/entities.ts";
import { seededRandom } from "../random.ts";

export const SAME_TIDE_TEST = "windows.test.ts > lets a boat in and out on the same tide";
const TIDE_TESTS: readonly string[] = [
  ...[1, 2, 3, 4, 5].map((week) => `windows.test.ts > finds every high water of week ${week} that clears the sill`),
  SAME_TIDE_TEST,
  "interpolate.test.ts > meets the table at high and low water",
  "interpolate.test.ts > passes mean level half way between two extremes",
  "window-cache.test.ts > forgets the oldest question first",
  "feed.test.ts > asks for one page per week",
];
export const EDGE_TEST = "feed-edge.test.ts > counts the extreme on a page edge once";
const PREVIEW_TESTS: readonly string[] = [
  "window-routes.test.ts > answers with ISO times",
  "window-routes.test.ts > wants a signed caller",
  "window-routes.test.ts > covers 14 days and no more",
];

/** Which tests exist by now: the story adds some with the fix, and some with the preview. */
export type Stage = "found" | "fixed" | "previewed";
const TESTS: Readonly<Record<Stage, readonly string[]>> = {
  found: TIDE_TESTS,
  fixed: [...TIDE_TESTS, EDGE_TEST],
  previewed: [...TIDE_TESTS, EDGE_TEST, ...PREVIEW_TESTS],
};

/** The tests that fail until the story finds out why. */
export const FAILING: readonly string[] = TIDE_TESTS.slice(1, 5);

/** What a run of test/tides prints; each label gives other durations. */
export function tideTests(label: string, stage: Stage, failing: readonly string[] = []): string {
  return report(label, TESTS[stage], failing);
}

/** What a run of the whole suite prints. */
export function allTests(label: string, stage: Stage, failing: readonly string[] = []): string {
  return report(label, [...TESTS[stage], ...ENTITIES.flatMap(entityTests)], failing);
}

function report(label: string, titles: readonly string[], failing: readonly string[]): string {
  const random = seededRandom(`test run ${label}`);
  const lines = titles.map((title) => {
    const mark = failing.includes(title) ? "×" : "✓";
    return ` ${mark} test/${title.includes("/") ? "" : "tides/"}${title} ${random.integer(1, 40)}ms`;
  });
  const traces = failing.map(stackTrace);
  const failed = failing.length > 0 ? `${failing.length} failed | ` : "";
  const total = ` Tests  ${failed}${titles.length - failing.length} passed (${titles.length})`;
  return [...lines, "", ...traces, total, ` Duration  ${random.integer(310, 990) / 100}s`].join("\n");
}

const REASONS: Readonly<Record<string, string>> = {
  [EDGE_TEST]: "expected [ …(2) ] to have a length of 1 but got 2\n ❯ test/tides/feed-edge.test.ts:7:81",
  [SAME_TIDE_TEST]: `expected [Function] to not throw an error but 'NoTideWindow: B-17' was thrown
 ❯ test/tides/windows.test.ts:17:112`,
};

/** Seeded by title alone: the same fault looks the same in every run. */
function stackTrace(title: string): string {
  const missing = seededRandom(title).integer(2, 9);
  const lostTide = `expected [ …(${20 + missing}) ] to deeply equal [ …(${21 + missing}) ]
-   ${440 + missing * 7},
 ❯ test/tides/windows.test.ts:11:70`;
  return ` FAIL  test/tides/${title}
AssertionError: ${REASONS[title] ?? lostTide}
 ❯ runTest node_modules/vitest/dist/chunks/runner.js:781:11
 ❯ runSuite node_modules/vitest/dist/chunks/runner.js:1309:15
`;
}

function entityTests({ name, fields, states, verbs }: Entity): readonly string[] {
  const file = separated(name, "-");
  const [store, service, routes] = ["store", "service", "routes"].map((part) => `${file}/${file}-${part}.test.ts`);
  return [
    ...fields.map((field) => `${store} > parse${capitalized(name)} > refuses a row without ${field.name}`),
    ...fields.map((field) => `${store} > ${name}Store > writes ${field.name} and reads it back`),
    ...states.slice(1).map((state, index) => `${store} > ${name}Store > goes from ${states[index]} to ${state} once`),
    ...verbs.map((verb) => `${service} > ${verb} > journals who did it`),
    ...verbs.map((verb) => `${service} > ${verb} > refuses a ${file.replace("-", " ")} that nobody knows`),
    ...verbs.map((verb) => `${routes} > POST /v2/${plural(file)}/:id/${verb} > wants a signed caller`),
  ];
}
