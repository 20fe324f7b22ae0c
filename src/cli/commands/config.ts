import { condenseWith } from "../gateway/condense-with.ts";
import { type SourcedSetting, settingSources } from "../gateway/setting-sources.ts";
import { UP_OPTIONS, upSettings } from "../gateway/up-settings.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { renderTable } from "../terminal/table.ts";

const COMMAND: Command = {
  name: "config",
  about: `Prints the settings that palimpsest up would use with these options, and where each comes from: a flag,
the file of --config, the environment, or the default. The first of these that has a setting wins.
Nothing is opened or written, and secrets are not shown. A wrong setting is refused as up refuses it.

Settings whose default depends on the model, and limits, are listed only where they are named.`,
  positionals: [],
  options: {
    ...UP_OPTIONS,
    json: { about: "print { file, settings: [{ name, value, from }] } for machines" },
  },
};

/** `palimpsest config [--config FILE] [options of up]`; returns the exit code. */
export async function config(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const environment = process.env;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const named = upSettings(COMMAND, given, environment);
  const { condenseWith: model, upstreams } = named.settings;
  if (model !== undefined) await condenseWith(model, { command: COMMAND, upstreams, environment });
  const settings = settingSources({ command: COMMAND, given, environment, named });
  const isJson = given.flags.has("json");
  output.write(isJson ? jsonText({ file: given.values.config ?? null, settings }) : render(settings));
  return 0;
}

function render(settings: readonly SourcedSetting[]): string {
  const columns = ["setting", "value", "from"].map((title) => ({ title, align: "left" as const }));
  const rows = settings.map(({ name, value, from }) => [oneLine(name), valueText(value), from]);
  // No value is cut: a path or a URL that ends early cannot be checked.
  return `${renderTable(columns, rows, Number.POSITIVE_INFINITY).join("\n")}\n`;
}

function valueText(value: unknown): string {
  if (value === null) return "none";
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}
