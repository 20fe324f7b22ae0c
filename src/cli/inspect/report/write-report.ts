import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Content, Message } from "../../../core/message/message.ts";
import type { Transcript } from "../../../core/transcript/transcript.ts";
import { pageFolder } from "../../../gateway/page-folder.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Inspection } from "../inspection.ts";
import { type FoldedLog, foldedLog, reportStrata } from "./report-strata.ts";

export interface ReportOptions {
  /** The name of the session for a person. */
  readonly name: string;
}

/** The text of an HTML file that shows a session in any browser without a server: its Strata, what fills it, and every message. */
export function writeReport(transcript: Transcript, inspection: Inspection, { name }: ReportOptions): string {
  const folded = foldedLog(transcript, inspection);
  const { format, modelId, messages, modelCalls, tokens, kinds, folding } = inspection;
  const data = {
    ...{ name, format, modelId, messages, modelCalls, tokens, kinds },
    contextWindow: folding.contextWindow,
    outcome: folding.outcome,
    strata: reportStrata(transcript, inspection, folded),
    content: reportMessages(folded),
    standIns: reportStandIns(folded),
  };
  return reportHtml(data, { script: readBuilt("report.js"), style: readBuilt("report.css") });
}

interface ReportParts {
  readonly script: string;
  readonly style: string;
}

/** The HTML of a report. Its policy allows only this file's own script and style sheet, so that the content of messages stays text. */
export function reportHtml(data: unknown, { script, style }: ReportParts): string {
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Palimpsest report</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="report-data">${inlineJson(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON that is safe within a script element: it cannot end the element or begin a comment, and parses to the same value. */
export function inlineJson(data: unknown): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function readBuilt(name: string): string {
  try {
    return readFileSync(join(pageFolder(), name), "utf8");
  } catch {
    throw new CommandError(
      1,
      "inspect: The dashboard was not built, and a report needs it. In a clone, run: npm run build",
    );
  }
}

/** The most characters of each text; the rest is only in the session file. */
const MAX_TEXT_CHARACTERS = 20_000;
/** The most characters of all texts: a browser opens a file of this size without delay. */
const MAX_REPORT_CHARACTERS = 24_000_000;

/** The messages of a report: images are only named, long texts are cut, and a note says so. */
export function reportMessages({ messages }: FoldedLog) {
  let left = MAX_REPORT_CHARACTERS;
  return messages.map(({ role, content, folds }) => {
    const shown = left > 0 ? cutContent(content) : LEFT_OUT;
    left -= JSON.stringify(shown).length;
    return { role, content: shown, folds: folds?.map((fold) => ({ ...fold, standIn: cutBlock(fold.standIn) })) };
  });
}

/** The stand-ins that would be sent in place of hidden messages, with the ids of their folds. */
export function reportStandIns({ standIns }: FoldedLog) {
  return standIns.map(({ condenseId, truncationId, content }: Message) => {
    return { foldId: condenseId ?? truncationId, content: cutContent(content) };
  });
}

const LEFT_OUT = [{ type: "text", text: "(left out: the report would be too large; the session file has it)" }];

function cutContent(content: Content): readonly unknown[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.map(cutBlock);
}

function cutBlock(block: unknown): unknown {
  if (typeof block === "object" && block !== null && "type" in block && block.type === "image")
    return { type: "image" };
  return cutTexts(block);
}

/** Cuts every long string in a value; numbers, names and the order of fields stay. */
function cutTexts(value: unknown): unknown {
  if (typeof value === "string") {
    const cut = value.length - MAX_TEXT_CHARACTERS;
    return cut > 0 ? `${value.slice(0, MAX_TEXT_CHARACTERS)}\n(${cut} characters more are in the session file)` : value;
  }
  if (Array.isArray(value)) return value.map(cutBlock);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cutTexts(field)]));
}
