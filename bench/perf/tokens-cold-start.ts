/** Run in a fresh process with the name of a counter: prints how long its first count took and what memory it took. */
import { loadCounter } from "./tokens-peers.ts";

const [, , counter = ""] = process.argv;
const rssBefore = process.memoryUsage.rss();
const start = performance.now();
const countText = await loadCounter(counter);
countText("How many tokens are these?");
const firstCountMs = performance.now() - start;
console.log(JSON.stringify({ counter, firstCountMs, rssMb: (process.memoryUsage.rss() - rssBefore) / 1e6 }));
