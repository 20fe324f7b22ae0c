import { feedAnswer } from "../outputs/long-lines.ts";
import { serviceLog } from "../outputs/service-log.ts";
import { allTests, EDGE_TEST, FAILING, tideTests } from "../outputs/test-run.ts";
import { EDGE_TEST_FILE, WALL_SCREEN } from "../project/added-files.ts";
import { agent, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

const JOINED =
  "return pages.flatMap((page) => page.extremes.map(({ at, cm, kind }) => ({ atMs: Date.parse(at), cm, kind })));";
const JOINED_ONCE = `${JOINED.replace("return", "const all =")}
  // the feed ends a page and begins the next one with the same extreme
  return all.filter((extreme, index) => extreme.atMs !== all[index - 1]?.atMs);`;
const PHASE = "const phase = (atMs - from.atMs) / (to.atMs - from.atMs);";
const NO_TWINS =
  'if (to.atMs <= from.atMs) throw new RangeError("two extremes at " + new Date(to.atMs).toISOString());';

/** The log shows a NaN, the feed shows why, and the suite turns green. */
export function cause({ commit, edit, read, run, search, write }: Workspace): readonly Step[] {
  return [
    agent(
      "Thank you. I read the whole day once, because I do not know yet what to look for.",
      run("cat logs/kittiwake-2026-09-13.log", serviceLog(1_260)),
    ),
    think(`One line stands out in the middle: a height that is not a number, at a high water, at a page edge. NaN compares
      false with everything, so "not (NaN >= needed)" skips the tide in silence. How can heightAt divide zero by zero? From
      and to must be the same instant: two equal extremes next to each other, if the search stops on the first of the twins.`),
    agent("A height of NaN is skipped without a word. Who joins the pages?", search("joinPages"), read("feed")),
    agent(
      "joinPages lays pages edge to edge without looking. I ask the feed itself what an edge looks like.",
      run("curl -s 'http://feed.staging.example/stations/tarnhaven/extremes?weeks=7'", feedAnswer(7)),
    ),
    think(`Confirmed: the last extreme of a page is also the first one of the next. With twins, segmentAround returns a
      segment of no length whenever the search lands on the first twin, which depends on the length of the list. That
      explains why it looked random, and why week 1 was always right.`),
    agent(
      `Found. Each page of the feed begins with the extreme that ended the page before. If that one is a high water, and the
      binary search happens to land on the first twin, the segment has no length, 0/0 is NaN, and the tide is skipped.
      First a test that says so.`,
      read("interpolate"),
      write("test/tides/feed-edge.test.ts", EDGE_TEST_FILE),
    ),
    agent(
      "It must fail before it may pass.",
      run("npx vitest run test/tides", tideTests("edge", "fixed", [...FAILING, EDGE_TEST])),
    ),
    agent(
      `Decision: I remove the twin where the pages are joined, not in the search, because every other reader of the list
      would otherwise have to know about it. And heightAt may never again answer NaN: it throws.`,
      edit("feed", JOINED, JOINED_ONCE),
      edit("interpolate", PHASE, `${NO_TWINS}\n  ${PHASE}`),
    ),
    agent("Now the whole suite.", run("npm test", allTests("green", "fixed"))),
    agent("All green. A last look at both files as they will be committed.", read("feed", "interpolate")),
    agent(
      "",
      commit("c41d7e9", "🐛 Count the extreme on a page edge once", "3 files changed, 14 insertions(+), 1 deletion(-)"),
    ),
    agent(`The refusals are explained and fixed.

      - Cause: neighbouring pages of the feed share one extreme, and a search that landed on the first copy divided by zero.
      - Fix: joinPages drops the copy; heightAt throws instead of returning NaN.
      - Proof: the four red tests and the new one are green, 0 failed.

      Seen on the way and not touched: nine services read the hour of the host instead of the harbour's. Shall I go on with
      the preview?`),
    person(
      `Lovely, Tarnhaven is relieved. Yes, the preview please: GET /v2/harbours/:id/windows?berth=&draught=, for the next 14
      days. Above is what the wall screen shows today, only a curve. Count the looks in a table, the harbour master wants
      them in the yearly report. Callers sign their requests, and the signing secret is rotated every 19 days, so take the
      key from the store each time and do not keep it in a variable. The nine services come after that.`,
      WALL_SCREEN,
    ),
  ];
}
