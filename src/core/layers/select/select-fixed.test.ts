import { describe, expect, test } from "vitest";
import { NOW } from "../../../../test/support/layered-states.ts";
import { ContextBuilder } from "../context/context-builder.ts";
import type { LayeredState } from "../layered-state.ts";
import { createInitialState } from "../state/initial-state.ts";
import { readState, serializeState } from "../state/serialize-state.ts";

const contextOf = (state: LayeredState) =>
  new ContextBuilder({ totalTokens: 20_000, now: () => NOW }).build(state).context;

test.each([
  [["a.org", "b.org"], "<allowed-domains>a.org\nb.org</allowed-domains>"],
  [[], "<allowed-domains>none</allowed-domains>"],
])("the allowed domains %j are shown", (allowedDomains, shown) => {
  expect(contextOf(createInitialState("Ship", { constraints: { allowedDomains } }))).toContain(shown);
  expect(contextOf(createInitialState("Ship"))).not.toContain("allowed-domains");
});

test("the limits, the quality and the rules of a task are shown", () => {
  const constraints = { timeMs: 60_000, budgetUsd: 0.5, quality: "as a release", rules: ["no new <package>"] };
  expect(contextOf(createInitialState({ goal: "Ship", constraints }))).toContain(
    "<constraint>no new &lt;package></constraint>\n" +
      '<task-limits time-ms="60000" budget-usd="0.5"/>\n<quality>as a release</quality>\n',
  );
  expect(contextOf(createInitialState({ goal: "Ship", constraints: {} }))).not.toMatch(
    /constraint|task-limits|quality/,
  );
});

test("metadata of every kind is shown", () => {
  const metadata = { tags: ["auth", "a&b"], deadlineAt: 5, ticket: "7" };
  expect(contextOf(createInitialState({ goal: "Ship", metadata }))).toContain(
    '<metadata name="tags">auth, a&amp;b</metadata>\n<metadata name="deadlineAt">5</metadata>\n' +
      '<metadata name="ticket">7</metadata>\n',
  );
});

test("an output format is shown with its type, its schema and its examples", () => {
  const outputFormat = {
    type: "json",
    schema: { type: "object", required: ["a<b"] },
    examples: [{ "a<b": 1 }, '{ "a<b": 2 }'],
  } as const;
  expect(contextOf(createInitialState({ goal: "Ship", outputFormat }))).toContain(
    '<output-format type="json"/>\n<output-schema>{"type":"object","required":["a&lt;b"]}</output-schema>\n' +
      '<output-example>{"a&lt;b":1}</output-example>\n<output-example>{ "a&lt;b": 2 }</output-example>\n',
  );
});

describe("a role", () => {
  const role = {
    name: 'Reviewer "B"',
    description: "Reads <every> diff.",
    capabilities: ["reads files", "runs tests & lints"],
    limitations: ["does not push"],
  };

  test("is shown with its name, its capabilities and its limitations, escaped", () => {
    expect(contextOf(createInitialState("Ship", { role }))).toContain(
      '<role name="Reviewer &quot;B&quot;">Reads &lt;every>' +
        " diff.</role>\n<capability>reads files</capability>\n<capability>runs tests &amp; lints</capability>\n" +
        "<limitation>does not push</limitation>\n",
    );
  });

  test("may be a plain text", () => {
    expect(contextOf(createInitialState("Ship", { role: "A reviewer" }))).toContain("<role>A reviewer</role>\n");
  });

  test("comes back from JSON as it was", () => {
    const state = createInitialState("Ship", { role });
    expect(readState(serializeState(state)).l0_system.role).toEqual(role);
  });
});
