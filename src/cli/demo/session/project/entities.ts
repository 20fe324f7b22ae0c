/** A thing the harbour office keeps a table of; its files, tests and translations are generated from this. */
export interface Entity {
  readonly name: string;
  readonly japanese: string;
  readonly chinese: string;
  readonly fields: readonly Field[];
  /** The first is the one it starts in. */
  readonly states: readonly string[];
  readonly verbs: readonly string[];
  readonly rule: string;
}

export interface Field {
  readonly name: string;
  readonly kind: string;
}

/** name | japanese | chinese | fields | states | verbs | rule */
const TABLE = `
berth|バース|泊位|quay:text sillCm:whole lengthCm:whole shorePower:flag|free held taken silted|survey dredge reserve|A silted berth takes no boat that draws more than 120 cm.
vessel|船舶|船舶|callSign:text draughtCm:whole beamCm:whole homePort:text lastSeenAt:instant|known arrived departed barred|greet measure bar|A draught is entered once by the skipper and once by the quay; the larger one counts.
booking|予約|预订|berthId:text vesselId:text arrivesAt:instant leavesAt:instant party:whole|asked confirmed moored closed|confirm shorten cancel|Arrival and departure must both lie inside a tide window of the berth.
pilot|水先人|引航员|licence:text grade:whole languages:text onCallFrom:instant|ashore aboard resting|dispatch relieve|A pilot rests ten hours after three passages of the bar.
tug|曳船|拖轮|bollardPullKn:whole fuelLitres:whole skipper:text|idle towing refit|assign release refuel|Two tugs are sent when the wind on the mole is above 28 knots.
mooring|係留索|系泊|buoyNumber:whole chainMm:whole servicedAt:instant|sound worn lifted|inspect lift|A chain below 19 mm is lifted within the week.
notice|航行警報|航行通告|severity:whole headline:text validFrom:instant validTo:instant|draft posted expired|post extend withdraw|A posted notice is never edited: it is withdrawn and posted again.
invoice|請求書|发票|grossCents:whole vatRate:whole dueAt:instant customer:text|open paid disputed waived|issue remind settle|Harbour dues round to the nearest ten cents, in favour of the boat.
crane|クレーン|起重机|liftTonnes:whole radiusM:whole windLimitKn:whole bookedUntil:instant|parked lifting locked|lift lock|No lift starts within 40 minutes of dusk.
locker|ロッカー|储物柜|bay:text keyCode:text rentedTo:text endsAt:instant|empty rented sealed|rent seal|A sealed locker is opened by two people.
ferry|フェリー|渡轮|line:text departsAt:instant capacity:whole carDeck:flag|scheduled boarding sailed cancelled|board sail cancel|The last ferry waits for the school choir on Fridays.
lamp|灯火|灯标|characteristic:text rangeNm:whole bulbHours:whole checkedAt:instant|lit dim dark|replace trim|A dark lamp becomes a notice of severity 4 within five minutes.
dredging|浚渫|疏浚|volumeM3:whole startedAt:instant spoilGround:text|planned running stopped|start stop|Dredging stops while eider chicks are in the basin.
fuelSale|給油|燃油销售|litres:whole grade:text pumpNumber:whole soldAt:instant|metered billed voided|meter void|The till reads these rows through /v1 and knows no other field names.
customsCheck|税関検査|海关检查|officer:text manifest:text openedAt:instant dutiable:flag|waiting cleared seized|open clear|A check that was opened on the ebb may be finished on the flood.
waitlistEntry|順番待ち|候补|vesselId:text wantsFrom:instant maxDuesCents:whole flexible:flag|waiting offered taken lapsed|offer lapse|An offer lapses one tide after it was made.`;

/** All sixteen, in the order of the harbour office's own handbook. */
export const ENTITIES: readonly Entity[] = TABLE.trim()
  .split("\n")
  .map((row) => {
    const [name = "", japanese = "", chinese = "", fields = "", states = "", verbs = "", rule = ""] = row.split("|");
    return {
      name,
      japanese,
      chinese,
      fields: fields.split(" ").map((field) => ({ name: field.split(":")[0] ?? "", kind: field.split(":")[1] ?? "" })),
      states: states.split(" "),
      verbs: verbs.split(" "),
      rule,
    };
  });

/** `fuelSale` → `FuelSale`. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `fuelSale` → `fuel-sale` (files) or, with `_`, `fuel_sale` (columns). */
export function separated(name: string, separator: "-" | "_"): string {
  return name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
}

/** `waitlist_entry` → `waitlist_entries`. */
export function plural(word: string): string {
  return `${word.replace(/y$/, "ie")}s`;
}
