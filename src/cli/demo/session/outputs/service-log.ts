import { seededRandom } from "../random.ts";

const HARBOUR = "«saltmarrow|tarnhaven|hollin-quay|skerry-point|ulverstrand»";
const BOAT = '"«Gannet|Old Perpetua|潮風丸|Mrs Alder|Bright Tuesday|望海|Sundew|Corncrake|Løvetann»"';
const NAME = "«ines|torvald|明里|padraig|wen|marit|osei»";

/** How the service logs; no two lines of a kind are alike. */
const PATTERNS = [
  "INFO  http    kw-«#6» GET /v2/berths/B-«1-48» «200|200|200|304» «2-90»ms",
  "INFO  http    kw-«#6» POST /v2/bookings/«#6»/confirm «200|200|409» «9-160»ms",
  "INFO  http    kw-«#6» GET /v1/fuel-sales?pump=«1-6»&since=«100-999» 200 «3-40»ms till",
  `DEBUG windows kw-«#6» ${HARBOUR} need=«310-480»cm found=«1-14» in «1-9»ms`,
  `DEBUG cache   kw-«#6» «hit|hit|miss» ${HARBOUR}/«150-240»/«90-260» size=«20-100»`,
  `INFO  feed    ${HARBOUR} page fetched bytes=«1900-3100» etag=«#10»`,
  `INFO  ais     ${BOAT} lat=54.«1000-9999» lon=-3.«1000-9999» sog=«0-12».«0-9»kn`,
  `INFO  booking kw-«#6» ${BOAT} B-«1-48» «asked|confirmed|moored|closed» by ${NAME} ⚓`,
  "WARN  sql     slow «210-1900»ms select from «bookings|berths|waitlist_entries|notices» rows=«1-900»",
  `INFO  pilot   👩‍✈️ ${NAME} aboard ${BOAT} draught=«90-310»cm wind=«2-33»kn`,
  "INFO  lamp    «mole head|inner perch|Skerry north|bar buoy 3» «lit 💡|dim|trimmed» hours=«40-8000»",
  "WARN  booking kw-«#6» refused NoTideWindow berth=B-«17|21|33» draught=«150-260» 🚫",
  "DEBUG heap    used=«80-190»MB external=«4-19»MB loop=«0-12».«0-9»ms",
  `INFO  mail    queued to=${NAME}@${HARBOUR}.example template=«offer|reminder|receipt» id=«#8»`,
];
const FIRST_BAD_HEIGHT = 'WARN  windows kw-7be2f0 tarnhaven "Corncrake" height=NaN at a high water, page edge 🌊';

/** One Sunday of the service, with the line that explains everything in the middle of it. */
export function serviceLog(lineCount: number): string {
  const random = seededRandom("service log");
  let atMs = Date.UTC(2026, 8, 13, 0, 0, 3);
  const lines = Array.from({ length: lineCount }, (_, index) => {
    atMs += random.integer(900, 134_000);
    const pattern = PATTERNS[random.integer(0, PATTERNS.length - 1)] ?? "";
    const line = index === Math.floor(lineCount / 2) ? FIRST_BAD_HEIGHT : random.fill(pattern);
    return `${new Date(atMs).toISOString()} ${line}`;
  });
  return lines.join("\n");
}
