import { allTests, SAME_TIDE_TEST, tideTests } from "../outputs/test-run.ts";
import { MIGRATION_FILE, WINDOW_ROUTES_FILE, WINDOW_ROUTES_TEST_FILE } from "../project/added-files.ts";
import { agent, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

const ROUTE = "/** The windows of one berth";
const OPTIONS = `export interface WindowRoutesOptions {
  readonly get: Parameters<typeof fetchExtremes>[0];
  readonly clock: Clock;
  readonly harbours: HarbourStore;
  readonly berths: BerthStore;
  readonly views: WindowViewStore;
}
`;
const TIMES = "({ opens: opensMs, closes: closesMs, highestCm })";
const ISO_TIMES = "({ opens: new Date(opensMs).toISOString(), closes: new Date(closesMs).toISOString(), highestCm })";
const SPAN = "fromMs, untilMs: fromMs + 14 * DAY_MS";
const WIDER_SPAN = "fromMs: fromMs - DAY_MS, untilMs: fromMs + 15 * DAY_MS";
const SEARCH = "let low = 0;";
const BEFORE_TABLE =
  'if (atMs < extremes[0].atMs) throw new RangeError("no extreme before " + new Date(atMs).toISOString());';
const ASK = "'http://localhost:$STAGING_PORT/v2/harbours/ulverstrand/windows?berth=B-21&draught=180'";
const ANSWER =
  '{"windows":[{"opens":"2026-09-14T09:51:00.000Z","closes":"2026-09-14T12:44:00.000Z","highestCm":498}],"next":"2026-09-14T22:16:00.000Z"}';
const CRASH = `HTTP/1.1 500 Internal Server Error
RangeError: no extreme before 2026-09-14T11:16:00.000Z
    at segmentAround (file:///srv/kittiwake/src/tides/interpolate.ts:18:38)
    at heightAt (file:///srv/kittiwake/src/tides/interpolate.ts:10:22)
    at around (file:///srv/kittiwake/src/tides/windows.ts:40:10)
    at windowsFor (file:///srv/kittiwake/src/tides/windows.ts:26:23)
    at file:///srv/kittiwake/src/windows/window-routes.ts:27:35
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async dispatch (file:///srv/kittiwake/src/harbour/router.ts:71:20)
    at async Server.<anonymous> (file:///srv/kittiwake/src/server.ts:38:5)`;
const PLAN = `Bitmap Heap Scan on window_views  (cost=9.11..402.55 rows=3811 width=0) (actual time=0.311..1.418 rows=3764 loops=1)
  Recheck Cond: (harbour_id = 'ulverstrand'::text)
  ->  Bitmap Index Scan on window_views_by_day  (cost=0.00..8.16 rows=3811 width=0) (actual time=0.274..0.274 rows=3764 loops=1)
Planning Time: 0.183 ms
Execution Time: 1.951 ms`;
const JAPANESE = `{
  "window.title": "潮汐の窓",
  "window.opens": "開始(協定世界時/現地時刻)",
  "window.none": "この喫水で通れる潮汐の窓はありません。",`;
const CHINESE = `{
  "window.title": "潮窗",
  "window.opens": "起点(协调世界时/当地时间)",
  "window.none": "以此吃水没有可用的潮窗。",`;

/** The endpoint is written, corrected twice by people, and mended after a crash on staging. */
export function preview({ commit, edit, read, run, search, write }: Workspace): readonly Step[] {
  const runTides = (output: string) => run("npx vitest run test/tides", output);
  return [
    agent("How is a route written here?", read("berth-routes", "booking-routes"), search("signed,")),
    agent("And what does a booking store? The preview must agree with it.", read("booking-store", "booking-service")),
    think(`The preview has to give the very same windows as the booking desk, so it calls windowsFor and adds nothing of its
      own. The route needs the clock and the feed passed in. The signing key: the signed middleware reads it per request
      already, so I must simply not cache anything around it.`),
    agent(
      "The route, thin on purpose, its tests, and the table for the report as a new migration.",
      write("src/windows/window-routes.ts", WINDOW_ROUTES_FILE),
      write("test/tides/window-routes.test.ts", WINDOW_ROUTES_TEST_FILE),
      write("db/migrations/0015_window_views.sql", MIGRATION_FILE),
    ),
    agent(
      "Types next.",
      run("npm run lint", "window-routes.ts(10,83): error TS2304: Cannot find name 'WindowRoutesOptions'."),
    ),
    person(`Small correction while you are at it: times go out as ISO 8601 strings in UTC, not as numbers. The till taught
      us that.`),
    agent("Both.", edit("window-routes", TIMES, ISO_TIMES), edit("window-routes", ROUTE, `${OPTIONS}\n${ROUTE}`)),
    agent("The types again, and the whole file.", run("npm run lint", "Found 0 errors. ✨"), read("window-routes")),
    agent(
      "The migration on a scratch database, with last year's numbers in it.",
      run("psql scratch -f db/migrations/0015_window_views.sql", "BEGIN\nSET\nCREATE TABLE\nCREATE INDEX\nCOMMIT"),
      run("psql scratch -c 'explain analyze select 1 from window_views …'", PLAN),
    ),
    agent(`The index is used. The preview answers under /v2 and is ready to be looked at on the wall; only the words on the
      screen are missing. Who translates them?`),
    person(`潮見港の明里です。画面の文言は docs/ja の説明に合わせてください。

      「潮汐の窓」という言葉を使い、時刻は協定世界時と現地時刻の両方を表示してほしいです。中国語は望潮港の文書と同じ用語でお願いします。🙏`),
    agent("明里さん、ありがとうございます。まず両方の文書を読みます。", read("tide-gate.md", "berth-rules.md")),
    agent("", read("ja.json", "zh.json")),
    think(`Two findings in the documents. The Japanese page says that two bookings may meet at the same instant and that
      this does not count as an overlap. The Chinese page says that the beginning of a window belongs to it and its end
      does not. Our requireWindow includes both ends.`),
    agent(
      `用語を合わせました。 Both documents also agree on something our code gets wrong. Decision: windows and stays are
      half-open, so that two bookings may touch without overlapping.`,
      edit("ja.json", "{", JAPANESE),
      edit("zh.json", "{", CHINESE),
      edit("windows", "atMs <= window.closesMs", "atMs < window.closesMs"),
    ),
    agent("Does a test rely on the old end?", runTides(tideTests("half open", "previewed", [SAME_TIDE_TEST]))),
    agent(
      "One leaves at the closing instant itself. It should leave a minute earlier.",
      edit("windows.test", "leavesMs: first.closesMs }", "leavesMs: first.closesMs - 60_000 }"),
      read("windows.test"),
    ),
    agent("Everything again, then staging.", run("npm test", allTests("preview", "previewed"))),
    agent(
      "I also make heightAt say so when it is asked about a time before the table, rather than guess.",
      edit("interpolate", SEARCH, `${BEFORE_TABLE}\n  ${SEARCH}`),
    ),
    agent("A real question to staging.", run(`curl -si ${ASK}`, CRASH)),
    think(`The new guard caught something real: the table begins now, so the flank of a window that is already open lies
      before its first extreme. Until today that was extrapolated, which means guessed. The route should ask for a day more
      at either end.`),
    agent(
      "The guard found a second fault: a window that is open now begins before the table does. I ask for one more day each way.",
      edit("window-routes", SPAN, WIDER_SPAN),
    ),
    agent("The same question again.", run(`curl -s ${ASK}`, ANSWER), read("window-routes")),
    agent("And the tests.", runTides(tideTests("guarded", "previewed"))),
    agent(
      "Staging answers with the window that is open at this moment. I commit in two parts.",
      commit("5f0a3cd", "🐛 Shut a tide window at its end", "2 files changed, 2 insertions(+), 2 deletions(-)"),
      commit("9e62b14", "✨ Preview tide windows on the wall screen 🖥️", "7 files changed, 71 insertions(+)"),
    ),
    agent(`The preview is on staging, in English, Japanese and Chinese, with ISO times and half-open windows. The crash on
      the first request is fixed and has a guard. Shall I take the nine services now?`),
    person(`Yes. Read each one before you change it, please; Marit wrote some of them at night. We deploy on Thursday 24
      September at low water, so there is time to be careful. The families on the ferry will thank you 👨‍👩‍👧‍👦`),
  ];
}
