import { HEX, seededRandom } from "../random.ts";

const HALF_TIDE_MS = 22_357_000;

/** The tide feed's answer on one line; each page begins with the extreme that ended the page before it. */
export function feedAnswer(pageCount: number): string {
  const random = seededRandom("feed");
  let atMs = Date.UTC(2026, 8, 12, 23, 41);
  let high = true;
  const next = () => {
    atMs += HALF_TIDE_MS + random.integer(-900, 900) * 1_000;
    high = !high;
    const cm = high ? random.integer(402, 561) : random.integer(38, 152);
    return { at: new Date(atMs).toISOString(), cm, kind: high ? "high" : "low", sd: random.integer(3, 11) };
  };
  let last = next();
  const pages = Array.from({ length: pageCount }, (_, page) => {
    const extremes = [last, ...Array.from({ length: 27 }, next)];
    last = extremes.at(-1) ?? last;
    return { page: page + 1, etag: random.word(10, HEX), extremes };
  });
  return JSON.stringify({ station: "tarnhaven", stationKey: "LC-TARN-0093", datum: "chart", unit: "cm", pages });
}

const LABEL = "«berth|tide|pilot|quay|ferry|lamp|dues|gate|wind|slip»";
const STATEMENTS = [
  `function «a|b|k|mx|qr|zt»«0-99»(e,t){return e.${LABEL}>t?«1-99»:e.${LABEL}||"${LABEL}-${LABEL}"}`,
  `const «c|d|f|ge|ho|wy»$«0-99»=n=>n.map(e=>({...e,${LABEL}:e.${LABEL}*«2-60»}));`,
  `document.querySelector("#${LABEL}-«1-40»").classList.toggle("${LABEL}",!«0-1»);`,
  `try{«a|k|mx|zt»«0-99»(«100-999»)}catch(e){console.warn("${LABEL} ${LABEL}",e)}`,
  "var «i|l|oo|pa»_«0-99»=[«0-4095»,«0-4095»,«0-4095»,«0-4095»,«0-4095»];",
];
const CLOCK = `function clk(e){return new Date(e).toLocaleTimeString([],{hour:"2-digit",minute:"2-digit"})}`;

/** The built page of the harbour office: one line of minified script, with the clock that the story looks for. */
export function minifiedPage(statementCount: number): string {
  const random = seededRandom("page");
  const statements = Array.from({ length: statementCount }, () =>
    random.fill(STATEMENTS[random.integer(0, STATEMENTS.length - 1)] ?? ""),
  );
  return `!function(){"use strict";${statements.toSpliced(statementCount / 2, 0, CLOCK).join("")}}();`;
}
