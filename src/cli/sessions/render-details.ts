import type { SessionEvent } from "../../engine/session/report.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { type Column, numbersBefore, renderTable } from "../terminal/table.ts";
import type { SessionDetails } from "./read-sessions.ts";
import { renderCheckpoints } from "./render-checkpoints.ts";
import type { RenderOptions } from "./render-sessions.ts";

export interface RenderDetailsOptions extends RenderOptions {
  /** The number of rows that each list shows, the newest ones. */
  readonly limit: number;
}

/** The output of `palimpsest sessions show`. */
export function renderDetails(details: SessionDetails, options: RenderDetailsOptions): string {
  const sections = [
    renderTitle(details, options),
    renderView(details, options),
    renderFolds(details, options),
    renderEvents(details, options),
    renderCheckpoints(details.checkpoints, options),
    renderVersions(details, options),
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n`);
  return shown.join("\n");
}

function renderTitle(details: SessionDetails, { style, now }: RenderOptions): readonly string[] {
  const { id, messages, tokens, view, viewTokens, pinned, version, updatedAt } = details;
  const log = `log: ${countOf(messages, "message")}, ${countOf(tokens, "token")}`;
  const sent = `view: ${countOf(view.length, "message")}, ${countOf(viewTokens, "token")}`;
  const kept = pinned === 0 ? [] : [`${formatCount(pinned)} pinned`];
  const facts = [log, sent, ...kept, `version ${version}`, `changed ${relativeTime(updatedAt, now)}`];
  return [style.heading(oneLine(id)), facts.join(" · ")];
}

function renderView({ view }: SessionDetails, options: RenderDetailsOptions): readonly string[] {
  // A stand-in has the id of its fold, which is listed below.
  const shortened = shortenIds(view.flatMap(({ name, version }) => (version === undefined ? [] : (name ?? []))));
  const rows = view.map(({ version, name, role, tokens, isPinned, what }) => [
    version === undefined ? "fold" : String(version),
    formatCount(tokens),
    role,
    name === undefined ? "–" : oneLine(version === undefined ? name : shortened(name)),
    isPinned ? `[pinned] ${what}` : what,
  ]);
  return section(
    "View: what is sent",
    { noun: "message", rows, columns: numbersBefore(["version", "tokens", "role", "message", "what"], 2) },
    options,
  );
}

function renderFolds({ folds }: SessionDetails, options: RenderDetailsOptions): readonly string[] {
  const rows = folds.map(({ foldId, kind, messages, blocks }) => [
    formatCount(messages),
    formatCount(blocks),
    kind,
    oneLine(foldId),
  ]);
  return section(
    "Folds: palimpsest restore brings back what they hide",
    { noun: "fold", rows, columns: numbersBefore(["messages", "blocks", "kind", "fold"], 2) },
    options,
  );
}

function renderEvents({ events }: SessionDetails, options: RenderDetailsOptions): readonly string[] {
  const rows = events.map((event) => [relativeTime(event.at, options.now), event.type, oneLine(describeEvent(event))]);
  return section("Events", { noun: "event", rows, columns: numbersBefore(["when", "event", "what"], 0) }, options);
}

function renderVersions({ versions }: SessionDetails, options: RenderDetailsOptions): readonly string[] {
  const rows = versions.map(({ from, to, what, isSetAside }) => [
    from === to ? String(to) : `${from}–${to}`,
    oneLine(isSetAside ? `${what}; set aside by a rewind` : what),
  ]);
  return section(
    "Versions: palimpsest rewind --to-version goes to any of them",
    { noun: "version", rows, columns: numbersBefore(["version", "what"]) },
    options,
  );
}

function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case "condense_context":
      return `${event.condenseId}: ${tokensBeforeAndAfter(event)}`;
    case "sliding_window_truncation":
      return `${event.truncationId}: ${tokensBeforeAndAfter(event)}`;
    case "blocks_folded":
      return `${event.foldIds.join(", ")}: ${tokensBeforeAndAfter(event)}`;
    case "condense_failed":
      return event.error;
    case "restored":
      return event.foldId;
    case "span_restored":
      return `${event.from} to ${event.to}`;
    case "rewound":
      return `${event.isUndo ? "undone: again as at" : "to"} version ${event.toVersion}`;
    case "updated":
      return event.messageIds.join(", ");
    case "calibrated":
      return `${event.modelId}: ${event.tokenRatio} of its tokens for one of ours`;
    case "anchored":
      return `${event.modelId}: ${countOf(Math.round(event.forecast.anchor?.promptTokens ?? 0), "token")} reported`;
    case "gap":
      return `${event.lostRecords} records are missing: the store did not answer for too long`;
    case "set_apart":
      return `from ${event.fromSessionId}, while the store did not answer`;
    case "checkpoint":
      return `${event.checkpointId} (${event.reason})`;
    case "recalled":
      return `${countOf(event.items.length + event.results.length, "item")} behind a reply`;
    case "compacted":
      return "by the provider itself";
    case "lineage":
      return `${event.ownName} was started by ${event.parentName}`;
    case "cleared":
      return `by the provider itself: ${event.isAddition ? "also " : ""}${countOf(event.toolUseIds.length, "result")}, thoughts of ${countOf(event.thoughtsOf.length, "message")}`;
    case "request":
      return `${event.modelId}: ${countOf(event.promptTokens, "token")} (${event.decision.reason})`;
  }
}

interface Sizes {
  readonly prevContextTokens: number;
  readonly newContextTokens: number;
}

function tokensBeforeAndAfter({ prevContextTokens, newContextTokens }: Sizes): string {
  return `${formatCount(prevContextTokens)} → ${countOf(newContextTokens, "token")}`;
}

interface List {
  readonly noun: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

function section(title: string, { noun, columns, rows }: List, options: RenderDetailsOptions): readonly string[] {
  if (rows.length === 0) return [];
  const { style, limit } = options;
  const more = rows.length - limit;
  const [titles = "", ...lines] = renderTable(columns, rows.slice(-limit), options.columns);
  return [
    style.heading(title),
    style.faint(titles),
    ...(more > 0 ? [style.faint(`  … ${countOf(more, `older ${noun}`)}; --limit N shows more, --json all`)] : []),
    ...lines,
  ];
}

const MIN_ID_CHARACTERS = 8;

/** Returns a function that cuts ids to the shortest length at which all of them still differ. */
function shortenIds(ids: readonly string[]): (id: string) => string {
  const different = new Set(ids).size;
  const longest = ids.reduce((most, { length }) => Math.max(most, length), 0);
  for (let length = MIN_ID_CHARACTERS; length < longest; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === different) return (id) => id.slice(0, length);
  }
  return (id) => id;
}
