import { afterEach, expect, test, vi } from "vitest";
import { withProgress } from "./progress.ts";

const TERMINAL = { isTTY: true, columns: 40 };

function drawing(notes: { readonly isTTY?: boolean; readonly columns?: number } = TERMINAL) {
  const written: string[] = [];
  let time = 0;
  return {
    written,
    wait: (ms: number) => {
      time += ms;
    },
    options: {
      notes: { ...notes, write: (text: string) => written.push(text) },
      isJson: false,
      environment: {},
      now: () => time,
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

test("one line is redrawn in place, and is gone at the end", async () => {
  const { options, written } = drawing();
  const value = await withProgress(options, async ({ show }) => {
    for (let place = 1; place <= 3; place++) show(`session ${place} of 3`);
    return "done";
  });
  expect(value).toBe("done");
  const lines = ["session 1 of 3", "session 2 of 3", "session 3 of 3", ""];
  expect(written).toEqual(lines.map((line) => `\r${line}\u001b[K`));
});

test("what shows nothing erases nothing", async () => {
  const { options, written } = drawing();
  await withProgress(options, async () => "done");
  expect(written).toEqual([]);
});

test("the line never wraps, and what a name holds is not acted on", async () => {
  const { options, written } = drawing();
  await withProgress(options, async ({ show }) => show(`\u001b[2J\n${"x".repeat(100)}`));
  const [line = ""] = written;
  expect(line.replace("\r", "").replace("\u001b[K", "")).toHaveLength(39);
  expect(line.slice(1)).not.toContain("\u001b[2J");
});

test("what takes long shows the seconds, and the timer ends with it", async () => {
  vi.useFakeTimers();
  const { options, written, wait } = drawing();
  let finish = () => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const running = withProgress(options, ({ during }) => during("condensing", () => work));
  wait(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  finish();
  await running;
  expect(written).toEqual(["\rcondensing …\u001b[K", "\rcondensing … 1 s\u001b[K", "\r\u001b[K"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a failure passes through, and the line is gone before it is told", async () => {
  const { options, written } = drawing();
  const failing = withProgress(options, ({ during }) => during("reading", () => Promise.reject(new Error("no file"))));
  await expect(failing).rejects.toThrow("no file");
  expect(written.at(-1)).toBe("\r\u001b[K");
});

test.each([
  ["on a pipe", { isTTY: false }, {}],
  ["for machines", TERMINAL, { isJson: true }],
  ["on a terminal that cannot go back", TERMINAL, { environment: { TERM: "dumb" } }],
])("nothing is drawn %s", async (_, notes, changed) => {
  const { options, written } = drawing(notes);
  const value = await withProgress({ ...options, ...changed }, async ({ show, during }) => {
    show("reading");
    return during("folding", () => 3);
  });
  expect({ value, written }).toEqual({ value: 3, written: [] });
});
