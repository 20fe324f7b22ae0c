import { createHash } from "node:crypto";
import type { Block, Message } from "../../../core/message/message.ts";
import { spokenTexts } from "../../../core/text/message-texts.ts";
import { DESKS, expand, OUTPUTS, projectFiles } from "./project.ts";

const BEGIN_MS = Date.UTC(2026, 8, 14, 7, 41, 12);
const PAUSE_MS = 41_000;

interface Part {
  readonly role: Message["role"];
  readonly blocks: readonly Block[];
}

/** A long, invented coding session (over 150,000 tokens): the same messages on every call. */
export function demoSession(): readonly Message[] {
  const files = projectFiles();
  const turns: Part[] = [];
  for (const { role, blocks } of STORY.flatMap((step, place) => play(step, place, files))) {
    // Neighbouring steps of one role become one message, as in a real log.
    const earlier = turns.at(-1)?.role === role ? turns.pop()?.blocks : [];
    turns.push({ role, blocks: [...(earlier ?? []), ...blocks] });
  }
  return turns.map(({ role, blocks }, index) => {
    const id = `m-${String(index + 1).padStart(3, "0")}`;
    const message = { role, content: blocks, id, ts: BEGIN_MS + index * PAUSE_MS };
    const [text] = role === "user" && blocks.length === 1 ? spokenTexts(message) : [];
    return { ...message, content: text ?? blocks };
  });
}

/** The messages, or parts of them, that a step of the story makes. */
function play(step: string, place: number, files: Map<string, string>): readonly Part[] {
  const [said = "", ...lines] = step.split(" $ ").map((line) => line.replaceAll("⏎", "\n"));
  const text = said.replace(/^[>~] /, "");
  if (said.startsWith("> ")) {
    const screen = { type: "image", source: { type: "base64", media_type: "image/png", data: WALL_SCREEN } };
    const images = text.includes("wall screen") ? [screen] : [];
    return [{ role: "user", blocks: [...images, { type: "text", text }] }];
  }
  if (said.startsWith("~ ")) {
    const signature = createHash("shake256", { outputLength: 72 }).update(text).digest("base64");
    return [{ role: "assistant", blocks: [{ type: "reasoning", text, signature }] }];
  }
  const calls = lines.map((line, index) => ({ id: `call_${place}_${index}`, call: runCall(line, files) }));
  const uses = calls.map(({ id, call: [name, input] }) => ({ type: "tool_use", id, name, input }));
  const results = calls.map(({ id, call: [, , content, isError] }) => {
    return { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
  });
  const spoken: Part = { role: "assistant", blocks: [{ type: "text", text }, ...uses] };
  return calls.length === 0 ? [spoken] : [spoken, { role: "user", blocks: results }];
}

/** A PNG image of one black pixel. */
const WALL_SCREEN = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

type Call = readonly [name: string, input: Readonly<Record<string, string>>, output: string, isError?: boolean];

/** Runs a call on files in memory, so that every read shows the result of the edits before it. */
function runCall(line: string, files: Map<string, string>): Call {
  const [tool, path = "", first = "", second = ""] = line.split(" :: ");
  const content = files.get(path) ?? "";
  switch (tool) {
    case "list":
      return ["list_files", { path }, [...files.keys()].join("\n")];
    case "read":
      return ["read_file", { path }, numbered(content).join("\n")];
    case "search": {
      const lines = [...files].flatMap(([file, text]) => numbered(text).map((line) => `${file}:${line}`));
      return ["search", { pattern: path }, lines.filter((line) => line.includes(path)).join("\n") || "No match"];
    }
    case "write":
      files.set(path, first);
      return ["write_file", { path, content: first }, `Wrote ${path}`];
    case "edit": {
      files.set(
        path,
        content.replace(first, () => second),
      );
      const isError = !content.includes(first);
      const output = isError ? `old_text was not found in ${path}. Read the file again.` : `Edited ${path}`;
      return ["edit_file", { path, old_text: first, new_text: second }, output, isError];
    }
    default: {
      const [output = "", ...options] = first.split(" ");
      return ["run_command", { command: path }, OUTPUTS[output]?.(...options) ?? first];
    }
  }
}

function numbered(content: string): readonly string[] {
  return content.split("\n").map((line, index) => `${String(index + 1).padStart(4)}  ${line}`);
}

const BEGINNING = `> Kittiwake books berths for the five harbours of the Lantern Coast. Since the autumn tides came in, bookings are refused
  now and then: the quay staff see NoTideWindow although the water is plainly high enough. Please find the cause and fix it.
  And no desk may ask the host for the hour any more, only the harbour's clock: perhaps that is all.⏎⏎What I need you to
  respect:⏎- no new runtime dependencies⏎- never edit a migration that has shipped; add a new one⏎- the JSON field names under /v1 are a promise
  to the till: leave them alone⏎- tests green before each commit, an emoji first in the subject⏎⏎Staging listens on port 47113.
~ An intermittent refusal. Before I form an opinion I want the layout, the words they use, and a failing run.
I look around first and touch nothing. $ list :: src $ read :: docs/tides.md $ search :: NoTideWindow
Two small files decide everything here. $ read :: src/tides/feed.ts $ read :: src/tides/windows.ts
The whole suite, as it is: $ run :: npm test :: tests  4
~ Four harbours lose tides. If it were rounding, a grace of 2 cm would turn them green: a cheap experiment.
Is it rounding? $ edit :: src/tides/windows.ts :: heightAt(high) >= neededCm :: heightAt(high) + 2 >= neededCm
I quoted that line from memory. Reading it again. $ read :: src/tides/windows.ts
> No experiments with that comparison, please: wrong by two centimetres, a boat sits on the sill. The clearance under the keel
  is 45 cm, because the silt at Saltmarrow moves after every gale. And if you ever need to touch the export of invoices, ask
  Oddny Brask first.
Understood, no tolerance. I begin with the hour, at four desks.`;

const CAUSE = `Four desks ask the harbour now, and still: $ run :: npx vitest run tides :: tests tides 4
> No harm done. There is a log of last Sunday, long, at debug level. Not all desks are on the path of a booking.
I read the whole day once. $ run :: cat logs/2026-09-13.log :: log
~ One line stands out: a height that is NaN, at a page edge. Zero by zero: two equal extremes next to each other?
A height of NaN is skipped without a word. What does a page edge look like? $ run :: curl -s feed.example/tarnhaven :: feed
Each page begins with the extreme that ended the page before: the height between twins is 0/0. Decision: I remove the twin where the pages are joined, because every other reader would have to know about it. $ edit :: src/tides/feed.ts :: page.extremes) :: page.extremes).filter((extreme, index, all) => extreme.atMs !== all[index - 1]?.atMs)
Now the whole suite, and the file as it goes out. $ run :: npm test :: tests  0 fixed $ read :: src/tides/feed.ts
All green. $ run :: git commit -m '🐛 Count the extreme on a page edge once' :: [main c41d7e9] 1 file changed
The refusals are explained and fixed: neighbouring pages shared an extreme. Shall I add the preview of windows now?
> Yes, above is what the wall screen shows today. Callers sign their requests, and the signing secret is rotated every 19 days,
  so take the key from the store each time. 画面の文言は docs/ja と docs/zh に合わせてください。🙏
ありがとうございます。まず両方の文書を読みます。 $ read :: docs/ja/tide-gate.md $ read :: docs/zh/berth-rules.md
~ Both pages say that two bookings may meet at one instant: a window's end is not part of it. Our code includes it.
用語を合わせました。 Decision: windows are half-open, so that two bookings may touch without overlapping. $ write :: src/i18n/windows.json :: { "ja": "潮汐の窓はありません。", "zh": "没有可用的潮窗。" } $ edit :: src/tides/windows.ts :: atMs <= closesMs :: atMs < closesMs $ write :: db/migrations/0015_window_views.sql :: set local lock_timeout = '4s';⏎create table window_views (seen_at timestamptz);
A real question to staging. $ run :: curl -si localhost:$STAGING_PORT/v2/windows :: HTTP/1.1 500⏎RangeError: no extreme before 2026-09-14T11:16:00.000Z⏎    at windowAround (src/tides/windows.ts:40:10)⏎    at windowsFor (src/tides/windows.ts:3:23)
~ The table begins now, so the flank of a window that is already open lies before its first extreme.
A window that is open now begins before the table does: I leave it out. $ edit :: src/tides/windows.ts :: filter(isHigh) :: filter(isHigh).slice(1)
Once more, and everything. $ run :: curl -s localhost:$STAGING_PORT/v2/windows :: {"windows":14} $ run :: npm test :: tests  0 preview $ read :: src/tides/windows.ts
Green. $ run :: git commit -m '✨ Preview tide windows on the wall screen' :: [main 9e62b14] 3 files changed
The preview is on staging, in three languages, with half-open windows. Shall I take the other desks now?
> Yes. Read each one before you change it; Marit wrote some of them at night. We deploy on Thursday 24 September at low water.`;

/** One desk learns to ask the harbour for the hour: read, seen to fail, changed, seen to pass, committed. */
const ROUND = `«Next|Now|On to» the {desk} desk: «who asks for the hour|what does it do with the hour»? $ read :: src/desks/{desk}.ts $ search :: getHours(
~ {rule} «The hour only decides whether somebody is woken|No state depends on the hour», so the change is «safe|small».
«It must fail before it may pass|First the proof that it is wrong», in a far zone. $ read :: test/{desk}.test.ts $ run :: TZ=Pacific/Auckland npx vitest run {desk} :: tests {desk} 1
«As I thought|One is red», because it asks the host. I make it ask the harbour. $ edit :: src/desks/{desk}.ts :: new Date({instant}).getHours() :: harbourHour({instant}) $ edit :: src/desks/{desk}.ts :: import { :: import { harbourHour } from "../harbour/clock.ts";⏎import {
«Again|The same run again», and the «file|whole file» as it is now. $ run :: TZ=Pacific/Auckland npx vitest run {desk} :: tests {desk} 0 $ read :: src/desks/{desk}.ts
«Green|No field of an answer changed its name»: I commit. $ run :: git commit -m '«🕰️|🌍|🕓» Ask the harbour for the hour at the {desk} desk' :: [main «1-9»«#6»] 1 file changed
> {remark}`;

const END = `Does anybody still ask the host? $ search :: getHours( $ search :: harbourHour(
One place is left where local time may live: the built page. $ run :: grep -n toLocaleTimeString public/app.min.js :: page
~ The page formats with the browser's own zone. That is the edge, where local time is allowed. Nothing to change.
Every desk that wakes people at night once more, only reading. $ read :: src/desks/pilot.ts $ read :: src/desks/tug.ts $ read :: src/desks/crane.ts $ read :: src/desks/ferry.ts
And the tide files, as they go out. $ read :: src/tides/feed.ts $ read :: src/tides/windows.ts $ read :: src/harbour/clock.ts
The last full run, in a far zone. $ run :: TZ=Pacific/Auckland npm test :: tests  0 release
The notes. $ write :: CHANGELOG.md :: # 2.32.0⏎- 🐛 No tide is lost on a page edge.⏎- ✨ A preview of the windows.⏎- 🕰️ Quiet hours by the harbour's clock.
Committed, not tagged. $ run :: git commit -m '📝 Write the notes for 2.32.0' :: [main d90c4e3] 1 file changed
> Wonderful. For the handover, in two sentences: why were the bookings refused, and will it come back? 谢谢,辛苦了!
Neighbouring pages of the tide feed shared an extreme, and the height between the two copies was 0/0, so a good tide was skipped.
  The copy is now dropped where pages are joined, and the tests of all five harbours hold that.`;

const ROUNDS = DESKS.map((row) => expand(ROUND, row));

/**
 * The example session, one step per line: ">" is the person, "~" a thought of the agent, anything else its words, each call
 * after a "$", with " :: " between its parts. An indented line goes on; ⏎ breaks a line inside a text.
 */
const STORY = [BEGINNING, ...ROUNDS.slice(0, 4), CAUSE, ...ROUNDS.slice(4), END].flatMap((chapter) =>
  chapter
    .replaceAll("\n  ", " ")
    .split("\n")
    .filter((step) => step !== "> "),
);
