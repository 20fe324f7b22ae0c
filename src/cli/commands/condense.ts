import { statSync } from "node:fs";
import { economyTokens } from "../../core/policy/economy.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { Session } from "../../engine/session/session.ts";
import { readTranscript } from "../../transcripts/read-transcript.ts";
import { condenseWith } from "../gateway/condense-with.ts";
import { GATEWAY_OPTIONS } from "../gateway/gateway-options.ts";
import { type GatewaySettings, gatewaySettings } from "../gateway/gateway-settings.ts";
import { findSession, isThere, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION, storeLocation } from "../sessions/store-location.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Arguments, type Command, countOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";

import { oneLine } from "../terminal/safe-text.ts";
import { type CompactOutputs, compact } from "./compact.ts";

/** One of the gateway's options, for those that this command shares. */
function gatewayOption(name: keyof typeof GATEWAY_OPTIONS): Command["options"] {
  return { [name]: GATEWAY_OPTIONS[name] };
}

/** The largest default budget for the view of a session file: what the balanced economy leaves. */
const MOST_FILE_TOKENS = economyTokens("balanced");

const COMMAND: Command = {
  name: "condense",
  about: `Condenses a stored session now, however full it is: a summary hides the older messages. Without a model,
the summary is a ledger of quoted lines. palimpsest restore undoes it.

<session> may also be a session file. Then the command prints what would be sent, as palimpsest compact
does, and the file is not changed.`,
  positionals: ["session"],
  options: {
    window: { value: "TOKENS", about: "the context window to condense for, such as 128k (default: 200k)" },
    budget: {
      value: "TOKENS",
      about: `for a session file: the largest view\n(default: half of the session, ${formatCount(MOST_FILE_TOKENS)} at most)`,
    },
    ...gatewayOption("economy"),
    ...gatewayOption("condense-with"),
    upstream: { value: "URL", about: "the server of the model, such as a proxy of your company" },
    ...gatewayOption("anthropic-upstream"),
    ...gatewayOption("openai-upstream"),
    ...gatewayOption("gemini-upstream"),
    ...gatewayOption("log-level"),
    ...gatewayOption("config"),
    json: { about: "print { session, foldId, messages, viewTokensBefore, viewTokensAfter, … } for machines" },
    store: STORE_OPTION,
  },
};

interface Condensed {
  readonly session: string;
  readonly foldId: string;
  /** The number of messages that the fold hides. */
  readonly messages: number;
  readonly summary: string;
  readonly costUsd: number;
  /** Why the summary is not the model's, if a model was asked. */
  readonly modelError?: string | undefined;
  readonly viewTokensBefore: number;
  readonly viewTokensAfter: number;
}

/** `palimpsest condense <session>`; returns the exit code. */
export async function condense(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { budget, ...values } = given.values;
  const settings = gatewaySettings(COMMAND, { ...given, values }, process.env);
  if (settings.store.type === "memory") {
    throw wrongUsage(
      COMMAND,
      "the store is memory, which only the gateway itself can see. Name a database by --store.",
    );
  }
  const isJson = given.flags.has("json");
  if (await isSessionFile(given, settings)) return condenseFile(given, { output, notes });
  if (budget !== undefined) throw wrongUsage(COMMAND, "--budget is for a session file, not for a stored session.");
  const condensed = await withProgress({ notes, isJson }, ({ during }) =>
    during(`condensing ${given.values.session}`, () => condenseStored(given, settings, notes)),
  );
  output.write(isJson ? jsonText(condensed) : renderCondensed(condensed));
  return 0;
}

async function condenseStored(given: Arguments, settings: GatewaySettings, notes: Output): Promise<Condensed> {
  const { session: named = "" } = given.values;
  const { upstreams, windows, configuration } = settings;
  const condenser =
    settings.condenseWith === undefined
      ? undefined
      : await condenseWith(settings.condenseWith, { command: COMMAND, upstreams, environment: process.env });
  return withSessions(COMMAND, withStore(given, settings), {
    engineOptions: {
      condenser,
      configuration,
      log: (line) => notes.write(`palimpsest: ${line}\n`),
      contextWindow: windows?.all,
    },
    use: async (open) => condenseNow(await findSession(open, named)),
  });
}

async function condenseNow(session: Session): Promise<Condensed> {
  const viewTokensBefore = countMessagesTokens(await session.view());
  const { condenseId, summary, cost, error, modelError } = await session.condense();
  if (error !== undefined || condenseId === undefined) {
    const why = error ?? "There is nothing to condense.";
    throw new CommandError(1, `condense: nothing was changed. ${why}`);
  }
  const viewTokensAfter = countMessagesTokens(await session.view());
  const { messages = 0 } = (await session.folds()).find(({ foldId }) => foldId === condenseId) ?? {};
  const sizes = { messages, viewTokensBefore, viewTokensAfter };
  return { session: session.id, foldId: condenseId, ...sizes, summary, costUsd: cost, modelError };
}

function withStore(given: Arguments, { file }: GatewaySettings): Arguments {
  return { ...given, values: { ...given.values, store: given.values.store ?? file.store } };
}

/** Whether `<session>` names a session file; a stored session of that name comes first. */
async function isSessionFile(given: Arguments, settings: GatewaySettings): Promise<boolean> {
  const { session: named = "" } = given.values;
  if (statSync(named, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const stored = withStore(given, settings);
  if (!isThere(storeLocation(COMMAND, stored, process.env))) return true;
  return withSessions(COMMAND, stored, { use: async ({ store }) => (await store.find(named)) === undefined });
}

async function condenseFile(given: Arguments, outputs: Required<CompactOutputs>): Promise<number> {
  const { session: file = "", "condense-with": model } = given.values;
  if (model !== undefined)
    outputs.notes.write("palimpsest: no model is asked for a session file: the ledger is written.\n");
  const budgetTokens = countOption(COMMAND, given, "budget") ?? (await halfOf(file));
  const json = given.flags.has("json") ? ["--json"] : [];
  return compact([file, "--budget", String(budgetTokens), ...json], outputs);
}

async function halfOf(file: string): Promise<number> {
  const { messages } = await readTranscript(file);
  return Math.max(1, Math.min(MOST_FILE_TOKENS, Math.ceil(countMessagesTokens(messages) / 2)));
}

function renderCondensed(condensed: Condensed): string {
  const { foldId, messages, viewTokensBefore, viewTokensAfter, costUsd, modelError } = condensed;
  const cost = costUsd === 0 ? "" : ` · $${costUsd.toFixed(4)}`;
  const hidden = oneLine(`${foldId}: ${countOf(messages, "message")} condensed${cost}`);
  const refused = modelError === undefined ? "" : `${oneLine(`by the ledger, not by the model: ${modelError}`)}\n`;
  return `${hidden}\n${refused}view: ${formatCount(viewTokensBefore)} → ${countOf(viewTokensAfter, "token")}\n`;
}
