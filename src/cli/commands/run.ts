import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_HOST } from "../../gateway/defaults.ts";
import { APIS } from "../gateway/base-url.ts";
import { findAgent } from "../gateway/find-agent.ts";
import { GATEWAY_OPTIONS } from "../gateway/gateway-options.ts";
import { type GatewaySettings, gatewayLog, gatewaySettings } from "../gateway/gateway-settings.ts";
import { dashboardUrl, OPEN_OPTION, openInBrowser } from "../gateway/open-dashboard.ts";
import { type FilesFolder, openGateway } from "../gateway/open-gateway.ts";
import { agentUpstreams, pointAgent } from "../gateway/point-agent.ts";
import { runChild } from "../gateway/run-child.ts";
import { totalsLine } from "../gateway/totals-line.ts";
import {
  type Arguments,
  type Command,
  helpText,
  parseCommandLine,
  portOption,
  wrongUsage,
} from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

const COMMAND: Command = {
  name: "run",
  about: `Starts a gateway, points an agent at it and runs the agent in this terminal. The agent's own command
comes behind --, such as claude, or npx @openai/codex exec "…". When the agent ends, one line says what
was spent and saved.

The gateway sends requests to the address that your environment holds for the agent, else to the
provider. It saves the files of the current folder at each of your turns: palimpsest rewind --files
brings them back.`,
  positionals: [],
  options: {
    port: { value: "PORT", about: "the port of the gateway (default: any free one)" },
    ...GATEWAY_OPTIONS,
    open: OPEN_OPTION,
    "no-checkpoints": { about: "do not save the files of the current folder" },
    "no-recall": { about: "do not give the agent the tools that read hidden messages" },
  },
};

export interface RunOutputs {
  /** The stream for the help text. @default process.stdout */
  readonly output?: Output;
  /** The stream for notes and totals: the agent has stdout. @default process.stderr */
  readonly notes?: Output;
}

/** `palimpsest run [options] -- <agent command…>`; returns the agent's exit code. */
export async function run(commandArguments: readonly string[], outputs: RunOutputs = {}): Promise<number> {
  const { output = process.stdout, notes = process.stderr } = outputs;
  const dashes = commandArguments.indexOf("--");
  const command = dashes < 0 ? [] : commandArguments.slice(dashes + 1);
  const own = dashes < 0 ? commandArguments : commandArguments.slice(0, dashes);
  const given = parseOwnArguments(own, command);
  if (given === "help") {
    output.write(helpText(COMMAND).replace("[options]", "[options] -- <agent command…>"));
    return 0;
  }
  return runAgent(command, given, notes);
}

/** Parses the arguments before `--`. Throws if there is a word that is no option, or no agent's command. */
function parseOwnArguments(own: readonly string[], command: readonly string[]): Arguments | "help" {
  const word = own.find((argument, index) => !argument.startsWith("-") && !takesValue(own[index - 1]));
  if (word !== undefined) {
    const fix = `Put -- before the agent's command: palimpsest run -- ${own.slice(own.indexOf(word)).join(" ")}`;
    throw wrongUsage(COMMAND, fix);
  }
  const given = parseCommandLine(COMMAND, own);
  if (given.type === "help") return "help";
  if (command.length === 0) throw wrongUsage(COMMAND, "Which agent? Name it behind --: palimpsest run -- claude");
  return given;
}

/** Whether the word after an argument may be its value. */
function takesValue(option: string | undefined): boolean {
  return option?.startsWith("--") === true && !option.includes("=");
}

async function runAgent(command: readonly string[], given: Arguments, notes: Output): Promise<number> {
  const found = findAgent(command);
  const settings = gatewaySettings(COMMAND, given, process.env);
  const upstreams = { ...agentUpstreams(found.agent, process.env), ...settings.upstreams };
  const port = portOption(COMMAND, given) ?? 0;
  // The agent has the terminal: unless a log level is set, incidents are only counted, and shown in the totals.
  const log = gatewayLog(notes, settings.logLevel ?? "silent");
  const listen = { host: DEFAULT_HOST, port, token: undefined, log, files: filesFolder(settings) };
  const hasRecall = !given.flags.has("no-recall");
  const recallTool = settings.recallTool ?? (hasRecall && found.agent?.recallsInGateway === true);
  const opened = await openGateway({ command: COMMAND, settings: { ...settings, upstreams, recallTool }, ...listen });
  const { gateway } = opened;
  const files = temporaryFiles();
  try {
    const { url } = gateway;
    const overruled = APIS.filter((api) => settings.upstreams[api] !== undefined);
    const point = { found, command, environment: process.env, url, overruled, hasRecall };
    const pointed = pointAgent({ ...point, writeFile: files.write });
    const dashboard = dashboardUrl(url);
    for (const note of [`dashboard at ${dashboard}`, ...opened.notes, ...pointed.notes]) {
      notes.write(`palimpsest: ${note}\n`);
    }
    if (given.flags.has("open")) await openInBrowser(dashboard, { notes, environment: process.env });
    const outcome = await runChild(pointed.command, pointed.environment);
    if (outcome.type === "not-started") notes.write(`palimpsest: ${outcome.why}\n`);
    return outcome.exitCode;
  } finally {
    files.remove();
    const money = await opened.close();
    notes.write(`${totalsLine(gateway.stats.total(), money)}\n`);
  }
}

/** The folder whose files are checkpointed: the current one, unless the settings name another, or none. */
function filesFolder({ checkpoints = "." }: GatewaySettings): FilesFolder | undefined {
  if (checkpoints === false) return undefined;
  return { folder: checkpoints, isDemanded: checkpoints !== "." };
}

/** Files in a temporary folder, which `remove` deletes. */
function temporaryFiles() {
  let folder: string | undefined;
  return {
    write(fileName: string, content: string): string {
      folder ??= mkdtempSync(join(tmpdir(), "palimpsest-run-"));
      const path = join(folder, fileName);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
