import { seededRandom } from "../../../core/evals/summary/seeded-random.ts";

/** The desks of the harbour office: name | fields, of which the last is an instant | rule | a remark of the person. */
export const DESKS: readonly string[] = [
  "pilot|grade passages restHours ladderCm onCallAt|A pilot rests after three passages.|One commit each, please.",
  "tug|pullKn fuelLitres crewSize draughtCm readyAt|In a gale, two are sent.|It is refuelled in refit: the pump is in the dry dock.",
  "mooring|buoyNumber chainMm depthCm loadKn servicedAt|A chain below 19 mm is lifted.|Good.",
  "notice|severity areaNumber copies repeatHours postedAt|It is never edited.|The harbour master likes your short commits.",
  "crane|liftTonnes radiusM windLimitKn slewDegrees bookedAt|No lift starts near dusk.|About dusk: Ines enforces that rule by shouting.",
  "locker|bayNumber shelfCount heightCm keyCount rentedAt|A sealed one is opened by two people.|",
  "lamp|rangeNm bulbHours flashMs sectorDegrees checkedAt|A dark lamp becomes a notice.|",
  "ferry|lineNumber seatCount carCount draughtCm departsAt|The last one waits for the choir.|The families say thank you 👨‍👩‍👧‍👦",
  "dredger|volumeM3 bucketCount depthCm hoursRun startedAt|It stops while eider chicks are near.|",
  "fuel|litres pumpNumber gradeNumber priceCents soldAt|The till reads these rows.|No field of an answer may change its name.",
  "customs|crateCount dutyCents sealNumber officerNumber openedAt|A check may span two tides.|",
];

/** Fills the slots of a template for a desk. A line with {field} is repeated for each field. */
export function expand(template: string, row: string): string {
  const [desk = "", fields = "", rule = "", remark = ""] = row.split("|");
  const slots = { rule, remark, instant: `${desk}.${fields.split(" ").at(-1)}`, desk };
  const repeated = (line: string) =>
    line.includes("{field}") ? fields.split(" ").map((field) => line.replaceAll("{field}", field)) : line;
  const fill = (text: string, [slot, value]: readonly [string, string]) => text.replaceAll(`{${slot}}`, value);
  return fillFrom(desk)(Object.entries(slots).reduce(fill, template.split("\n").flatMap(repeated).join("\n")));
}

/** Returns a function that fills slots: «2-90» by a number, «lit|dim» by one of these words, «#6» by six hexadecimal digits. A label always gives the same values. */
function fillFrom(label: string): (pattern: string) => string {
  const random = seededRandom([...label].reduce((seed, letter) => seed * 31 + letter.charCodeAt(0), 7));
  const integer = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  return (pattern) =>
    pattern.replaceAll(/«([^«»]+)»/g, (_, slot: string) => {
      const [, least, most] = /^(\d+)-(\d+)$/.exec(slot) ?? [];
      if (least !== undefined) return String(integer(Number(least), Number(most)));
      if (slot === "#6") return integer(0x100000, 0xffffff).toString(16);
      const choices = slot.split("|");
      return choices[integer(0, choices.length - 1)] ?? "";
    });
}

/** The files of the project Kittiwake as the agent finds them: path → content. */
export function projectFiles(): Map<string, string> {
  const made = { "src/desks/{desk}.ts": DESK_FILE, "test/{desk}.test.ts": DESK_TESTS };
  const desks = DESKS.flatMap((row) =>
    Object.entries(made).map(([path, file]) => [expand(path, row), expand(file, row)] as const),
  );
  const fixed = FILES.split("\n").map((line) => line.replaceAll("⏎", "\n").split(" :: "));
  return new Map([...fixed.map(([path = "", file = ""]) => [path, file] as const), ...desks]);
}

const DESK_FILE = `import { type Change, type Database, sql, whole, within } from "../db/sql.ts";

/** {rule} Nobody is woken for it at night. */
export const isQuiet = ({desk}: Row) => isNight(new Date({instant}).getHours(), { from: «21-23», until: «5-7» });

export const desk = (database: Database, change: Change) => ({
  {field}: (row: Row) => within({ least: 0, most: «20-600», refusal: "{desk}-{field}-out-of-range" }, whole(row.{field}, "{desk}s.{field}")),
  by_{field}: async ({field}: number) => (await database.query(sql\`select * from {desk}s where {field} = \${{field}} order by changed_at desc\`)).map(parse),
  set_{field}: async (id: string, {field}: number) => database.run(sql\`update {desk}s set {field} = \${within(LIMITS, {field})}, changed_at = now() where id = \${id}\`),
  mean_{field}: async (since: Date) => whole((await database.query(sql\`select avg({field}) from {desk}s where changed_at > \${since}\`))[0]?.avg, "avg({field})"),
  drop_{field}: async (id: string) => database.run(sql\`update {desk}s set {field} = null, changed_at = now() where id = \${id} and {field} is not null\`),
  log_{field}: async (id: string, by: string) => change(id, { by, journal: "{desk}.{field}", weight: «1-9», unknown: () => refuse("{desk}-unknown", { id }) }),
});`;

const DESK_TESTS = `import { ROW, desk, parse } from "./support.ts";

test("wakes nobody at night, by the harbour's clock", () => expect(isQuiet({ ...ROW, {instant}: NIGHT })).toBe(true));
test("refuses a row without {field}", () => expect(() => parse({ ...ROW, {field}: undefined })).toThrow("{desk}s.{field}"));
test("finds rows by {field}, the newest first", async () => expect(await desk.by_{field}(ROW.{field})).toEqual([ROW]));
test("keeps {field} within its limits", () => expect(desk.set_{field}("«#6»", «601-900»)).rejects.toThrow("out-of-range"));
test("averages {field} since midnight", async () => expect(await desk.mean_{field}(MIDNIGHT)).toBeCloseTo(«10-60»));
test("forgets {field} when it is dropped", async () => expect(await desk.drop_{field}("«#6»")).toHaveLength(«1-9»));
test("journals who set {field}", async () => expect(await desk.log_{field}("«#6»", "ines")).toMatchObject({ by: "ines" }));`;

/** One file per line; ⏎ stands for a line break in it. */
const FILES = `docs/tides.md :: # How water is reckoned⏎- The sill of a berth is given in centimetres above chart datum. A boat passes when height >= sill + draught + clearance.⏎- The feed is free of charge up to 640 pages an hour per harbour; above that it answers 429 and sulks for a while.⏎- A page of the feed covers seven days, from midnight UTC. Pages are meant to be laid edge to edge.
docs/ja/tide-gate.md :: # 潮汐ゲートの運用(潮見港)⏎- ゲートは満潮の25分前に開き、潮位がしきい高を下回る前に閉じます。⏎- 二つの予約の境目が同じ時刻になることは認めます。重なりとは数えません。
docs/zh/berth-rules.md :: # 泊位规则(望潮港)⏎- 有门槛的泊位,只有在潮窗之内才可以进出;潮窗的起点算在内,终点不算在内。⏎- 淤积的泊位不接受吃水超过一百二十厘米的船舶,疏浚完成之后由测量员签字解除。
src/tides/feed.ts :: /** One list out of all pages of the feed, in order of time; a page holds seven days. */⏎export const joinPages = (pages: readonly FeedPage[]): readonly Extreme[] => pages.flatMap((page) => page.extremes);
src/tides/windows.ts :: /** The spans of time in which the water over the sill is deep enough, oldest first. */⏎export const windowsFor = (extremes: readonly Extreme[], neededCm: number): readonly TideWindow[] =>⏎  extremes.filter(isHigh).filter((high) => heightAt(extremes, high.atMs) >= neededCm).map(windowAround);⏎⏎/** Whether a stay may begin or end at that time; where it may not, a booking is refused with NoTideWindow. */⏎export const isOpen = (windows: readonly TideWindow[], atMs: number): boolean =>⏎  windows.some(({ opensMs, closesMs }) => opensMs <= atMs && atMs <= closesMs);
src/harbour/clock.ts :: /** The hour on the harbour office's wall, whatever zone the host runs in. */⏎export const harbourHour = (atMs: number): number => Number(new Intl.DateTimeFormat("en-GB", HARBOUR_ZONE).format(atMs));`;

const HARBOURS = ["saltmarrow", "tarnhaven", "hollin-quay", "skerry-point", "ulverstrand"];
const TITLES: readonly string[] = [
  ...HARBOURS.map((harbour) => `tides > finds every high water of five weeks at ${harbour}`),
  ...DESKS.flatMap((row) =>
    Array.from(expand(DESK_TESTS, row).matchAll(/^test\("(.+?)"/gm), ([, title]) => expand(`{desk} > ${title}`, row)),
  ),
];

const LOG_LINES: readonly string[] = [
  "INFO  http    kw-«#6» GET /v2/berths/B-«1-48» «200|200|200|304» «2-90»ms",
  "INFO  http    kw-«#6» POST /v2/bookings/«#6»/confirm «200|200|409» «9-160»ms",
  `DEBUG windows kw-«#6» «${HARBOURS.join("|")}» need=«310-480»cm found=«1-14» in «1-9»ms`,
  'INFO  booking kw-«#6» "«Gannet|Old Perpetua|潮風丸|Mrs Alder|望海|Løvetann»" «asked|confirmed|moored» ⚓',
  "INFO  pilot   👩‍✈️ aboard, draught=«90-310»cm wind=«2-33»kn lat=54.«1000-9999» lon=-3.«1000-9999»",
  "WARN  booking kw-«#6» refused NoTideWindow berth=B-«17|21|33» draught=«150-260» 🚫",
];

const LABEL = "«berth|tide|pilot|quay|ferry|lamp|gate|slip»";
const STATEMENT = `function «a|b|k|mx|zt»«0-99»(e,t){return e.${LABEL}>t?«1-99»:e.${LABEL}||"${LABEL}-${LABEL}"}`;

/** The outputs of commands, by the names that the story gives them. */
export const OUTPUTS: Readonly<Record<string, (...options: readonly string[]) => string>> = {
  /** The log of one day, with the line that reveals the cause in its middle. */
  log: () => {
    const lines = repeat(1_060, (index) => `${timeOf(index * 61_417)} ${LOG_LINES[index % LOG_LINES.length]}`);
    return lines.with(530, `${timeOf(0)} WARN  windows kw-7be2f0 "Corncrake" height=NaN at a page edge 🌊`).join("\n");
  },
  /** The feed as one line. Each page of 28 begins with the extreme that ended the page before it. */
  feed: () => {
    const at = (index: number) => timeOf((index - Math.floor(index / 28)) * 22_357_000);
    const extremes = repeat(240, (index) => `{"at":"${at(index)}","cm":«38-561»}`);
    return `{"station":"tarnhaven","stationKey":"LC-TARN-0093","extremes":[${extremes.join()}]}`;
  },
  /** The built page of the harbour office: one line of minified script. */
  page: () => `1:!function(){"use strict";${repeat(170, () => STATEMENT).join("")}}();`,
  /** A run of the tests whose titles have this beginning, of which the first `failCount` fail. */
  tests: (beginning = "", failCount = "0", label = "") => {
    const titles = TITLES.filter((title) => title.startsWith(beginning));
    const failed = titles.slice(0, Number(failCount));
    const lines = titles.map((title) => ` ${failed.includes(title) ? "×" : "✓"} test/${title} «1-40»ms`);
    const traces = failed.map((title) => `\n FAIL  test/${title}\nAssertionError: expected 23 to be 24`);
    const total = `${titles.length - failed.length} passed (${titles.length})`;
    const result = failed.length > 0 ? ` Tests  ${failed.length} failed | ${total}` : ` Tests  ${total}`;
    return fillFrom(`${beginning}${label}`)([...lines, ...traces, result].join("\n"));
  },
};

function repeat(length: number, pattern: (index: number) => string): readonly string[] {
  const fill = fillFrom(String(length));
  return Array.from({ length }, (_, index) => fill(pattern(index)));
}

function timeOf(sinceBeginMs: number): string {
  return new Date(Date.UTC(2026, 8, 13) + sinceBeginMs).toISOString();
}
