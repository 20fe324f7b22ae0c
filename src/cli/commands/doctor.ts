import { DEFAULT_HOST, DEFAULT_PORT } from "../../gateway/defaults.ts";
import { checkAgents } from "../doctor/check-agents.ts";
import { checkGit, checkKeys, checkNode, checkPackages, checkSqlite } from "../doctor/check-machine.ts";
import { checkPort } from "../doctor/check-port.ts";
import { checkStore } from "../doctor/check-store.ts";
import { type Finding, failed } from "../doctor/finding.ts";
import { condenseWith } from "../gateway/condense-with.ts";
import { GATEWAY_OPTIONS } from "../gateway/gateway-options.ts";
import { UP_OPTIONS, type UpSettings, upSettings } from "../gateway/up-settings.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Arguments, type Command, readArguments } from "../terminal/command-line.ts";
import { countOf } from "../terminal/numbers.ts";
import { jsonText, type Output, type Style, styleFor } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "doctor",
  about: `Looks at this machine and says, a line for each check, what is ok, what is worth a note, and what is at
fault, with what to do: Node, SQLite, the store, git, the port of up, the agents that run knows, keys
(their names only), packages, and the file of --config. The exit code is 1 if something is at fault.

Nothing but this machine is asked. A database that exists is opened and checked as by palimpsest store
check, which brings its schema up to date; nothing else is changed.`,
  positionals: [],
  options: {
    port: UP_OPTIONS.port,
    store: GATEWAY_OPTIONS.store,
    config: { value: "FILE", about: "a JSON file with the settings of up or run, which is checked too" },
    json: { about: "print { faults, checks: [{ check, result, text }] } for machines" },
  },
};

/** `palimpsest doctor`; returns the exit code, 1 if anything is at fault. */
export async function doctor(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const checks = await examine(given);
  const faults = checks.filter(({ result }) => result === "fault").length;
  const text = () => render(checks, styleFor(output, process.env));
  output.write(given.flags.has("json") ? jsonText({ faults, checks }) : text());
  return faults === 0 ? 0 : 1;
}

async function examine(given: Arguments): Promise<readonly Finding[]> {
  const environment = process.env;
  const { named, findings } = readSettings(given);
  const { settings, host = DEFAULT_HOST, port = DEFAULT_PORT } = named;
  return [
    checkNode(process.versions.node),
    await checkSqlite(),
    ...findings,
    await checkStore(settings.store),
    await checkGit(),
    await checkPort(host, port),
    ...checkAgents(environment),
    await checkKeys(environment),
    ...(await checkCondenser(named)),
    checkPackages(),
  ];
}

interface ReadSettings {
  readonly named: UpSettings;
  readonly findings: readonly Finding[];
}

/** The settings of `up`. If the file or the environment is wrong, that is a fault, and the other checks go on without it. */
function readSettings(given: Arguments): ReadSettings {
  const { config, ...values } = given.values;
  try {
    const named = upSettings({ ...COMMAND, name: "up" }, given, process.env);
    const valid: Finding = { check: "config", result: "ok", text: `${config} is valid` };
    return { named, findings: config === undefined ? [] : [valid] };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const fault = failed("config", error);
    // Throws again if it is our own command line that is wrong.
    if (config === undefined) return { named: upSettings(COMMAND, given, {}), findings: [fault] };
    const { named, findings } = readSettings({ ...given, values });
    return { named, findings: [fault, ...findings.filter(({ text }) => text !== fault.text)] };
  }
}

/** Whether the model that writes summaries could be asked, if the settings name one. */
async function checkCondenser({ settings }: UpSettings): Promise<readonly Finding[]> {
  const { condenseWith: model, upstreams } = settings;
  if (model === undefined) return [];
  try {
    await condenseWith(model, { command: { ...COMMAND, name: "up" }, upstreams, environment: process.env });
    return [{ check: "condenser", result: "ok", text: `${model} has what it needs` }];
  } catch (error) {
    return [failed("condenser", error)];
  }
}

function render(checks: readonly Finding[], style: Style): string {
  const width = checks.reduce((widest, { check }) => Math.max(widest, check.length), 0);
  const paint = { ok: style.faint, note: style.heading, fault: style.warning };
  const lines = checks.map(({ check, result, text }) => {
    return `  ${paint[result](result.padEnd(5))}  ${check.padEnd(width)}  ${oneLine(text)}`;
  });
  const count = (wanted: Finding["result"]) => checks.filter(({ result }) => result === wanted).length;
  return `${[...lines, "", `${countOf(count("fault"), "fault")}, ${countOf(count("note"), "note")}`].join("\n")}\n`;
}
