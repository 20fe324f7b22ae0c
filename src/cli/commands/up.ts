import { PalimpsestError } from "../../core/errors.ts";
import { DEFAULT_HOST, DEFAULT_PORT, DEFAULT_UPSTREAMS } from "../../gateway/defaults.ts";
import { assertSafeBinding } from "../../gateway/http/guard.ts";
import { GATEWAY_OPTIONS } from "../gateway/gateway-options.ts";
import { type GatewaySettings, gatewayLog, gatewaySettings } from "../gateway/gateway-settings.ts";
import { nameOfGatewayStore } from "../gateway/gateway-store.ts";
import { dashboardUrl, OPEN_OPTION, openInBrowser } from "../gateway/open-dashboard.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { portOption } from "../gateway/port-option.ts";
import { type GatewayFacts, renderUp } from "../gateway/render-up.ts";
import { totalsLine } from "../gateway/totals-line.ts";
import { anySignal } from "../terminal/any-signal.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { parseCommandLine, wrongUsage } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

const COMMAND: Command = {
  name: "up",
  about: `Starts the gateway: agents send their requests to it instead of to their provider, and it keeps what goes on from there
inside the model's window. Runs until Ctrl-C. Speaks Anthropic Messages, OpenAI Chat Completions and Responses, and
Gemini.`,
  positionals: [],
  options: {
    port: { value: "PORT", about: `where to listen; 0 takes any that is free (default: ${DEFAULT_PORT})` },
    host: {
      value: "HOST",
      about: `the address to listen at; others than this machine's own need a token\n(default: ${DEFAULT_HOST})`,
    },
    token: {
      value: "TOKEN",
      about: "what every request must bring as x-palimpsest-token (default: $PALIMPSEST_TOKEN)",
    },
    ...GATEWAY_OPTIONS,
    checkpoints: {
      value: "FOLDER",
      about: "keep the files of this folder at each turn of a person (default: none are kept)",
    },
    open: OPEN_OPTION,
    json: { about: "print one line { url, … } for machines when it listens" },
  },
};

/** What open streams get when the gateway is told to end; a second signal ends it at once. */
const LAST_REPLIES_MS = 5_000;

const TOKEN_HINT = "A token is given by --token, or by $PALIMPSEST_TOKEN.";

export interface UpOutputs {
  /** @default process.stdout */
  readonly output?: Output;
  /** Where incidents and totals are told. @default process.stderr */
  readonly notes?: Output;
}

/** `palimpsest up`; resolves with the exit code when a signal ended it. */
export async function up(commandArguments: readonly string[], outputs: UpOutputs = {}): Promise<number> {
  const { output = process.stdout, notes = process.stderr } = outputs;
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const settings = gatewaySettings(COMMAND, given, process.env);
  const port = portOption(COMMAND, given) ?? settings.file.port ?? DEFAULT_PORT;
  const host = given.values.host ?? settings.file.host ?? DEFAULT_HOST;
  const token = given.values.token ?? (process.env.PALIMPSEST_TOKEN || undefined);
  assertSafe(host, token);
  const log = gatewayLog(notes, settings.logLevel);
  const folder = settings.checkpoints === false ? undefined : settings.checkpoints;
  const files = folder === undefined ? undefined : { folder, isDemanded: true };
  const opened = await openGateway({ command: COMMAND, settings, port, host, token, log, files });
  const { gateway, close } = opened;
  for (const warning of opened.notes) log(warning, "warn");
  const facts = { ...factsOf(gateway.url, { ...settings, store: opened.store }), needsToken: token !== undefined };
  // Whoever reads that it listens may end it at once.
  const ended = anySignal("SIGINT", "SIGTERM", "SIGHUP");
  output.write(given.flags.has("json") ? `${JSON.stringify(facts)}\n` : renderUp(facts, output));
  if (given.flags.has("open")) await openInBrowser(facts.dashboard, { notes, environment: process.env });
  await ended;
  const money = await close({ graceMs: LAST_REPLIES_MS });
  notes.write(`${totalsLine(gateway.stats.total(), money)}\n`);
  return 0;
}

/** Before anything is opened: a store that nobody can reach would be made for nothing. */
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
