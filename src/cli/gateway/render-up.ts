import type { Output } from "../terminal/output.ts";
import { styleFor } from "../terminal/style.ts";
import { renderTable } from "../terminal/table.ts";
import type { Agent } from "./agent.ts";
import { AGENTS } from "./agents.ts";

/** What is said of a gateway when it listens. */
export interface GatewayFacts {
  readonly url: string;
  readonly dashboard: string;
  readonly api: string;
  readonly metrics: string;
  /** What a person calls the store. */
  readonly store: string;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly needsToken: boolean;
}

// The token itself is on no screen and in no log.
const TOKEN_PREFIX = "/palimpsest-token/$PALIMPSEST_TOKEN";

/** For a person: where it is, and what points agents at it. */
export function renderUp(facts: GatewayFacts, output: Output): string {
  const style = styleFor(output, process.env);
  const { needsToken } = facts;
  const url = needsToken ? `${facts.url}${TOKEN_PREFIX}` : facts.url;
  const upstreams = Object.entries(facts.upstreams).map(([api, upstream]) => `    ${api.padEnd(11)}${upstream}`);
  const table = renderTable(
    [
      { title: "agent", align: "left" },
      { title: "what to set", align: "left" },
    ],
    AGENTS.flatMap((agent) => {
      const [first, ...others] = variablesOf(agent, url);
      // More than one would not fit a line.
      return first === undefined || others.length > 0 ? [] : [[agent.title, first]];
    }),
    Number.POSITIVE_INFINITY,
  );
  return [
    `${style.heading("Palimpsest")} listens at ${facts.url}`,
    "",
    `  dashboard  ${facts.dashboard}`,
    `  sessions   ${facts.store}`,
    `  API        ${facts.api}`,
    `  metrics    ${facts.metrics}`,
    "  requests go to",
    ...upstreams,
    "",
    ...table,
    "",
    "  These and others, with a gateway of their own: palimpsest run -- <agent command…>",
    "  More in docs/guides/agents.md. Ctrl-C ends it.",
    "",
  ].join("\n");
}

/** What points an agent, for a shell; none where it takes no variable. */
function variablesOf({ ways }: Agent, url: string): readonly string[] {
  const set = ways.flatMap((way) => (way.type === "base-url" ? [[way.name, `${url}${way.path}`]] : []));
  // Where one variable serves several APIs, the agent's default comes last.
  return Object.entries(Object.fromEntries(set)).map(([name, value]) => `${name}=${value}`);
}
