import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Transcript } from "../../../core/transcript/transcript.ts";
import { pageFolder } from "../../../gateway/page-folder.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Inspection } from "../inspection.ts";
import { reportMessages, reportStandIns } from "./report-messages.ts";
import { foldedLog, reportStrata } from "./report-strata.ts";

export interface ReportOptions {
  /** What a person calls the session. */
  readonly name: string;
}

/** One file that shows a session in any browser, without a server: Strata, what fills it, and every message. */
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

/** Only the script and the style sheet of this very file may run: whatever a message holds stays text. */
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

/** JSON that ends no script element and begins no comment in it: a reader of JSON sees the same value. */
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
