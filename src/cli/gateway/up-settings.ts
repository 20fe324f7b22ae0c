import { PalimpsestError } from "../../core/errors.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../gateway/defaults.ts";
import { assertSafeBinding } from "../../gateway/http/guard.ts";
import { type Arguments, type Command, type CommandOption, portOption, wrongUsage } from "../terminal/command-line.ts";
import { parseDuration } from "../terminal/numbers.ts";
import type { Environment } from "../terminal/output.ts";
import { GATEWAY_OPTIONS, logLevelOption } from "./gateway-options.ts";
import { type GatewaySettings, gatewaySettings } from "./gateway-settings.ts";

/** The options of `up` that are settings of its gateway. */
export const UP_OPTIONS = {
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
} as const satisfies Readonly<Record<string, CommandOption>>;

/** The default grace period for open streams when the gateway is told to end; a second signal ends it at once. */
export const LAST_REPLIES_MS = 5_000;
const LONGEST_DRAIN_MS = 24 * 60 * 60 * 1_000;

const TOKEN_HINT = "A token is given by --token, or by $PALIMPSEST_TOKEN.";

/** The settings of `up` as flags, file and environment name them; undefined where none does. */
export interface UpSettings {
  readonly settings: GatewaySettings;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly token: string | undefined;
  /** How long running replies may go on after the gateway is told to end. */
  readonly drainMs: number | undefined;
}

/** Reads the settings of `up`. Throws a `CommandError` with exit code 2 that says how to fix a wrong one, or an unsafe address. */
export function upSettings(command: Command, given: Arguments, environment: Environment): UpSettings {
  const named = namedSettings(command, given, environment);
  assertSafe(command, named);
  return named;
}

/** The settings of `up`, without the check whether its address is safe: a token may come from another source. */
export function namedSettings(command: Command, given: Arguments, environment: Environment): UpSettings {
  const settings = gatewaySettings(command, given, environment);
  return {
    settings,
    port: portOption(command, given) ?? settings.file.port,
    host: given.values.host ?? settings.file.host,
    token: given.values.token ?? (environment.PALIMPSEST_TOKEN || undefined),
    drainMs: readDrain(command, given),
  };
}

function readDrain(command: Command, { values: { drain: text } }: Arguments): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms !== undefined && ms <= LONGEST_DRAIN_MS) return ms;
  throw wrongUsage(
    command,
    `--drain is ${JSON.stringify(text)}; it must be a time of at most a day, such as 30s or 10m.`,
  );
}

/** Refuses an unsafe binding before the store is opened, which would otherwise be created for nothing. */
function assertSafe(command: Command, { host = DEFAULT_HOST, token }: UpSettings): void {
  try {
    assertSafeBinding({ host, token });
  } catch (error) {
    throw error instanceof PalimpsestError ? wrongUsage(command, `${error.message} ${TOKEN_HINT}`) : error;
  }
}
