/** Texts that try to become more than text. Made by a program: each way out of a text with each thing to do there. */

/** What each of them would do, were it run. */
const MARK = "window.__executed=(window.__executed||0)+1";

const ACTIONS: readonly string[] = [
  `<script>${MARK}</script>`,
  `<img src=x onerror="${MARK}">`,
  `<svg onload="${MARK}"></svg>`,
  `<svg><animate onbegin="${MARK}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${MARK}</script>"></iframe>`,
  `<a href="javascript:${MARK}">click</a>`,
  `<details open ontoggle="${MARK}">x</details>`,
  `<style>*{background:url("http://hostile.example/x")}</style>`,
  `<link rel=stylesheet href="http://hostile.example/x.css">`,
  `<meta http-equiv=refresh content="0;url=http://hostile.example/">`,
  `<base href="http://hostile.example/">`,
  `<form action="http://hostile.example/"><button>send</button></form>`,
  `<object data="http://hostile.example/x"></object>`,
  `\${${MARK}}`,
  `{{constructor.constructor('${MARK}')()}}`,
  `<math><mtext></p><style><img src onerror="${MARK}"></style></mtext></math>`,
];

/** What might end the place in which a text stands. */
const WAYS_OUT: readonly string[] = [
  "",
  '">',
  "'>",
  "</pre>",
  "</script>",
  "-->",
  "]]>",
  "\\u003c/script>\n",
  "</textarea></title>",
  "`}",
];

const ODD_TEXTS: readonly string[] = [
  "\u202egnp.exe\u202c and \u2066isolated\u2069 and \u200e\u200f\u061c marks",
  "\u0000\u0001\u0007\u001b[31mred\u001b[0m",
  `${"\u0301".repeat(2_000)} a tower of accents`,
  "﷽".repeat(500),
  "x".repeat(200_000),
  `${"word ".repeat(50_000)}end`,
  "\ud800 lone surrogates \udfff",
  "\u2028\u2029\u0085\u00ad\ufeff",
  "\n".repeat(20_000),
  "\t".repeat(5_000),
  "</".repeat(10_000),
  "👩‍👩‍👧‍👦".repeat(2_000),
  "__proto__",
  "constructor",
  "[object Object]",
  '{"__proto__":{"polluted":true}}',
  "data:text/html,<script>1</script>",
  "javascript:void(0)",
  "-1e999",
  "%00%ff%E0%A4%A",
];

/** 200 of them, the same in every run. */
export function hostilePayloads(): readonly string[] {
  const made = WAYS_OUT.flatMap((wayOut) => ACTIONS.map((action) => `${wayOut}${action}`));
  const doubled = ACTIONS.map((action) => `\u202e${action}\u202c`);
  return [...ODD_TEXTS, ...made, ...doubled, ...ODD_TEXTS.map((text) => `> ${text}`)].slice(0, 200);
}
