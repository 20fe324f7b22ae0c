import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_UPSTREAMS } from "../../gateway/defaults.ts";
import type { Agent } from "../gateway/agent.ts";
import { AGENTS } from "../gateway/agents.ts";
import { type GatewaySettings, gatewayLog } from "../gateway/gateway-settings.ts";
import { nameOfGatewayStore } from "../gateway/gateway-store.ts";
import { dashboardUrl, OPEN_OPTION, openInBrowser } from "../gateway/open-dashboard.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { totalsLine } from "../gateway/totals-line.ts";
import { LAST_REPLIES_MS, UP_OPTIONS, upSettings } from "../gateway/up-settings.ts";
import { guidePath } from "../guide-path.ts";
import { anySignal } from "../terminal/any-signal.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import { type Output, styleFor } from "../terminal/output.ts";
import { renderTable } from "../terminal/table.ts";

const COMMAND: Command = {
  name: "up",
  about: `Starts a gateway for all your agents, and runs it until Ctrl-C. Agents send their requests to the
gateway instead of to their provider, and the gateway keeps the prompts inside the model's window. It
speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini.`,
  positionals: [],
  options: {
    ...UP_OPTIONS,
    open: OPEN_OPTION,
    json: { about: "print one line { url, … } for machines when the gateway listens" },
  },
};

export interface UpOutputs {
  /** @default process.stdout */
  readonly output?: Output;
  /** The stream for incidents and totals. @default process.stderr */
  readonly notes?: Output;
}

/** `palimpsest up`; resolves with the exit code after a signal has ended it. */
export async function up(commandArguments: readonly string[], outputs: UpOutputs = {}): Promise<number> {
  const { output = process.stdout, notes = process.stderr } = outputs;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const named = upSettings(COMMAND, given, process.env);
  const { settings, port = DEFAULT_PORT, host = DEFAULT_HOST, token, drainMs: graceMs = LAST_REPLIES_MS } = named;
  const log = gatewayLog(notes, settings.logLevel);
  const folder = settings.checkpoints === false ? undefined : settings.checkpoints;
  const files = folder === undefined ? undefined : { folder, isDemanded: true };
  const opened = await openGateway({ command: COMMAND, settings, port, host, token, log, files });
  const { gateway, close } = opened;
  for (const warning of opened.notes) log(warning, "warn");
  const facts = { ...factsOf(gateway.url, { ...settings, store: opened.store }), needsToken: token !== undefined };
  // Before the output: a program that reads it may send a signal at once.
  const ended = anySignal("SIGINT", "SIGTERM", "SIGHUP");
  output.write(given.flags.has("json") ? `${JSON.stringify(facts)}\n` : renderUp(facts, output));
  if (given.flags.has("open")) await openInBrowser(facts.dashboard, { notes, environment: process.env });
  await ended;
  const money = await close({ graceMs });
  notes.write(`${totalsLine(gateway.stats.total(), money)}\n`);
  return 0;
}

function factsOf(url: string, { upstreams, store }: GatewaySettings): Omit<GatewayFacts, "needsToken"> {
  return {
    url,
    dashboard: dashboardUrl(url),
    api: `${url}/palimpsest/api`,
    metrics: `${url}/palimpsest/metrics`,
    store: nameOfGatewayStore(store),
    upstreams: { ...DEFAULT_UPSTREAMS, ...upstreams },
    pid: process.pid,
  };
}

/** The facts that are printed when a gateway listens. */
interface GatewayFacts {
  readonly url: string;
  readonly dashboard: string;
  readonly api: string;
  readonly metrics: string;
  /** The name of the store for a person. */
  readonly store: string;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly needsToken: boolean;
}

// Names the variable: the token itself must not appear on a screen or in a log.
const TOKEN_PREFIX = "/palimpsest-token/$PALIMPSEST_TOKEN";

/** The text for a person: the URLs of the gateway, and the variables that point agents at it. */
function renderUp(facts: GatewayFacts, output: Output): string {
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
      // Agents that take several variables do not fit on a line.
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
    `  More in ${guidePath("agents")}. Ctrl-C ends it.`,
    "",
  ].join("\n");
}

/** The assignments that point an agent at the gateway, for a shell; empty if it takes no variable. */
function variablesOf({ ways }: Agent, url: string): readonly string[] {
  const set = ways.flatMap((way) => (way.type === "base-url" ? [[way.name, `${url}${way.path}`]] : []));
  // If one variable serves several APIs, the last way wins, which is the agent's default.
  return Object.entries(Object.fromEntries(set)).map(([name, value]) => `${name}=${value}`);
}
