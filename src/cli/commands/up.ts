import { PalimpsestError } from "../../core/errors.ts";
import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_UPSTREAMS } from "../../gateway/defaults.ts";
import { assertSafeBinding } from "../../gateway/http/guard.ts";
import type { Agent } from "../gateway/agent.ts";
import { AGENTS } from "../gateway/agents.ts";
import { GATEWAY_OPTIONS, logLevelOption } from "../gateway/gateway-options.ts";
import { type GatewaySettings, gatewayLog, gatewaySettings } from "../gateway/gateway-settings.ts";
import { nameOfGatewayStore } from "../gateway/gateway-store.ts";
import { dashboardUrl, OPEN_OPTION, openInBrowser } from "../gateway/open-dashboard.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { totalsLine } from "../gateway/totals-line.ts";
import { guidePath } from "../guide-path.ts";
import { anySignal } from "../terminal/any-signal.ts";
import { type Command, portOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { parseDuration } from "../terminal/numbers.ts";
import { type Output, styleFor } from "../terminal/output.ts";
import { renderTable } from "../terminal/table.ts";

const COMMAND: Command = {
  name: "up",
  about: `Starts a gateway for all your agents, and runs it until Ctrl-C. Agents send their requests to the
gateway instead of to their provider, and the gateway keeps the prompts inside the model's window. It
speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini.`,
  positionals: [],
  options: {
    port: { value: "PORT", about: `the port to listen on; 0 takes any free one (default: ${DEFAULT_PORT})` },
    host: {
      value: "HOST",
      about: `the address to listen on; any but this machine's own needs a token\n(default: ${DEFAULT_HOST})`,
    },
    token: {
      value: "TOKEN",
      about: "the token that every request must bring as x-palimpsest-token (default: $PALIMPSEST_TOKEN)",
    },
    ...GATEWAY_OPTIONS,
    "log-level": logLevelOption("incidents"),
    checkpoints: {
      value: "FOLDER",
      about: "save the files of this folder at each turn of a person (default: none)",
    },
    drain: {
      value: "TIME",
      about: "how long running replies may go on after the gateway is told to end: 30s, 10m (default: 5s)",
    },
    open: OPEN_OPTION,
    json: { about: "print one line { url, … } for machines when the gateway listens" },
  },
};

/** The default grace period for open streams when the gateway is told to end; a second signal ends it at once. */
const LAST_REPLIES_MS = 5_000;
const LONGEST_DRAIN_MS = 24 * 60 * 60 * 1_000;

const TOKEN_HINT = "A token is given by --token, or by $PALIMPSEST_TOKEN.";

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
  const settings = gatewaySettings(COMMAND, given, process.env);
  const port = portOption(COMMAND, given) ?? settings.file.port ?? DEFAULT_PORT;
  const host = given.values.host ?? settings.file.host ?? DEFAULT_HOST;
  const token = given.values.token ?? (process.env.PALIMPSEST_TOKEN || undefined);
  assertSafe(host, token);
  const graceMs = drainMs(given.values.drain);
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

function drainMs(text: string | undefined): number {
  const ms = text === undefined ? LAST_REPLIES_MS : parseDuration(text);
  if (ms !== undefined && ms <= LONGEST_DRAIN_MS) return ms;
  throw wrongUsage(
    COMMAND,
    `--drain is ${JSON.stringify(text)}; it must be a time of at most a day, such as 30s or 10m.`,
  );
}

/** Refuses an unsafe binding before the store is opened, which would otherwise be created for nothing. */
function assertSafe(host: string, token: string | undefined): void {
  try {
    assertSafeBinding({ host, token });
  } catch (error) {
    throw error instanceof PalimpsestError ? wrongUsage(COMMAND, `${error.message} ${TOKEN_HINT}`) : error;
  }
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
