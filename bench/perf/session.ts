/** View and count of a long session: the first time, and after one more message. */
import { getEffectiveApiHistory, type Message, trackView } from "palimpsest";
import { countContentTokens, countMessagesTokens } from "palimpsest/tokens";
import { proseCorpus } from "./corpora.ts";

const SIZES = [1_000, 10_000, 100_000];
const TOKENS_PER_MESSAGE = 200;
const CHARACTERS_PER_TOKEN = 4;
const APPENDS = 2_000;

export function benchSession(): void {
  console.log(`\nA session's view and count (about ${TOKENS_PER_MESSAGE} tokens a message), times in ms`);
  console.log(row("messages", "tokens", "first time", "view + count again", "append p50", "append p99"));
  for (const size of SIZES) {
    const messages = buildSession(size);
    const [first, tracker] = timed(() => trackView(messages, countContentTokens));
    const tokens = tracker.tokens();
    const [again] = timed(() => countMessagesTokens(getEffectiveApiHistory(messages)));
    const appends = buildSession(APPENDS, size).map((message) => {
      const [elapsed] = timed(() => {
        tracker.append(message);
        return [tracker.view().length, tracker.tokens()];
      });
      return elapsed;
    });
    appends.sort((a, b) => a - b);
    const quantile = (share: number) => milliseconds(appends[Math.floor(share * (APPENDS - 1))] ?? Number.NaN);
    console.log(
      row(String(size), String(tokens), milliseconds(first), milliseconds(again), quantile(0.5), quantile(0.99)),
    );
  }
}

/** Alternating calls and results of distinct text, so that nothing is counted from a cache of an earlier message. */
function buildSession(size: number, firstId = 0): readonly Message[] {
  const words = proseCorpus(size * TOKENS_PER_MESSAGE * CHARACTERS_PER_TOKEN, firstId + size);
  const length = Math.floor(words.length / size);
  return Array.from({ length: size }, (_, index): Message => {
    const text = words.slice(index * length, (index + 1) * length);
    const id = firstId + index;
    if (id % 2 === 0)
      return {
        id: `m${id}`,
        role: "user",
        content: id === 0 ? text : [{ type: "tool_result", tool_use_id: `t${id - 1}`, content: text }],
      };
    return {
      id: `m${id}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `t${id}`, name: "note", input: { text } }],
    };
  });
}

function timed<Value>(work: () => Value): readonly [number, Value] {
  const start = performance.now();
  const value = work();
  return [performance.now() - start, value];
}

function milliseconds(value: number): string {
  return value.toFixed(value < 1 ? 4 : 1);
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(19)).join("");
}
