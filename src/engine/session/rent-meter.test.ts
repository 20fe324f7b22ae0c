/** When prices decide about a session's folds, and how far they fold. */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { good, handler } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { openSession, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import {
  type Configuration,
  createEngine,
  type Message,
  modelCondenser,
  type PrepareReport,
  type Session,
} from "../../index.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";

const CLAUDE = "claude-sonnet-4-5";
const LARGE = { contextWindow: 200_000, maxTokens: 8_000 } as const;

/** The reports of the folds that a conversation gets when it is prepared after every message; it goes on as far as they are asked for. */
async function* foldsAlong(
  messages: readonly Message[],
  { model = CLAUDE, configuration = {}, contextWindow = LARGE.contextWindow }: FoldsOptions = {},
): AsyncGenerator<PrepareReport, undefined> {
  const session = await createEngine({ ...LARGE, model, contextWindow, configuration }).session("task");
  for (const message of messages) {
    await session.append(message);
    const { report } = await session.prepare();
    if (report.foldIds.length > 0) yield report;
  }
}

async function foldsOf(...given: Parameters<typeof foldsAlong>): Promise<readonly PrepareReport[]> {
  const folds: PrepareReport[] = [];
  for await (const report of foldsAlong(...given)) folds.push(report);
  return folds;
}

const firstFoldOf = async (...given: Parameters<typeof foldsAlong>): Promise<PrepareReport | undefined> =>
  (await foldsAlong(...given).next()).value;

/** An agent that reads files of about 1,400 tokens, each line of which says something else. */
function readFiles(count: number): readonly Message[] {
  const line = (file: number, at: number) => `export const limit${file}_${at} = readSetting("file-${file}.key-${at}");`;
  const files = Array.from({ length: count }, (_, file) =>
    Array.from({ length: 65 }, (_each, at) => line(file, at)).join("\n"),
  );
  return log(
    user("Fix the rotation of keys in src/auth/rotate.ts."),
    ...files.flatMap((text, file) => [
      assistant(call(`t${file}`, "read_file", { path: `src/file-${file}.ts` })),
      user(result(`t${file}`, text)),
    ]),
  );
}

interface FoldsOptions {
  readonly model?: string;
  readonly configuration?: Configuration;
  readonly contextWindow?: number;
}

describe("prices", () => {
  test("decide by default: a long conversation is folded to 16,000 tokens, long before its window is full", async () => {
    const folds = await foldsOf(toolLoop(80, 1_400));
    expect(folds.length).toBeGreaterThan(2);
    for (const { prevContextTokens, promptTokens } of folds) {
      expect(prevContextTokens).toBeLessThan(60_000);
      expect(promptTokens).toBeLessThan(18_000);
    }
  });

  test("decide the same in a window five times as large", async () => {
    const folds = await foldsOf(toolLoop(60, 1_400));
    expect(await foldsOf(toolLoop(60, 1_400), { contextWindow: 1_000_000 })).toEqual(
      folds.map((report) => ({
        ...report,
        contextWindow: 1_000_000,
        allowedTokens: expect.any(Number) as number,
        usedPercent: expect.any(Number) as number,
        prevUsedPercent: expect.any(Number) as number,
      })),
    );
  });

  test.each([
    ["careful", 32_000],
    ["balanced", 16_000],
    ["thrifty", 8_000],
    [12_000, 12_000],
  ] as const)("leave what the economy %s says", async (economy, tokens) => {
    const first = await firstFoldOf(readFiles(80), { configuration: { thresholds: { economy } } });
    expect(first?.promptTokens).toBeGreaterThan(0.8 * tokens);
    expect(first?.promptTokens).toBeLessThan(1.05 * tokens);
  });

  test.each([
    ["no price is known", { model: "a-model-nobody-knows" }],
    ["they are switched off", { configuration: { thresholds: { adaptive: false } } }],
    ["a percentage is set", { configuration: { thresholds: { global: 75 } } }],
    ["a percentage is set for the profile", { configuration: { thresholds: { profiles: { default: 75 } } } }],
  ])("wait for the percentage where %s", async (_, options) => {
    const first = await firstFoldOf(toolLoop(120, 1_400), options);
    expect(first?.prevContextTokens).toBeGreaterThan(140_000);
  });

  test("win over a percentage where that is asked for", async () => {
    const thresholds = { global: 75, adaptive: true };
    const first = await firstFoldOf(toolLoop(60, 1_400), { configuration: { thresholds } });
    expect(first?.prevContextTokens).toBeLessThan(60_000);
  });

  test("let a conversation grow longer where a model is asked to condense it", async () => {
    let condensed: PrepareReport | undefined;
    const { session } = await openSession({ ...LARGE, model: CLAUDE, condenser: modelCondenser(handler(good)) });
    for (const message of talkOf(120, 600)) {
      await session.append(message);
      const { report } = await session.prepare();
      if (report.foldIds.length === 0) continue;
      condensed = report;
      break;
    }
    const local = await firstFoldOf(talkOf(120, 600));
    expect(condensed?.prevContextTokens).toBeGreaterThan((local?.prevContextTokens ?? 0) + 3_000);
  });
});

describe("what a command of the agent's own has printed before the first request", () => {
  const notes = Array.from({ length: 900 }, (_, at) => `- release 1.${at} mends the setting of key-${at}`).join("\n");
  const printed = `<local-command-stdout>${notes}</local-command-stdout>`;
  const name = "<command-name>/release-notes</command-name>";
  const [request, ...work] = readFiles(80);

  test.each<[string, readonly Message[]]>([
    ["beside it", log(user(name, printed, String(request?.content)), ...work)],
    ["in a message before it", log(user(name, printed), ...(request === undefined ? [] : [request]), ...work)],
    ["as a text alone", log(user(printed), ...(request === undefined ? [] : [request]), ...work)],
  ])("does not put off the first fold, nor is room left for it: %s", async (_, messages) => {
    const plain = await firstFoldOf(readFiles(80));
    const fold = await firstFoldOf(messages);
    expect(fold?.prevContextTokens).toBeLessThan(1.1 * (plain?.prevContextTokens ?? 0));
    expect(fold?.promptTokens).toBeLessThan(1.05 * 16_000);
  });
});

describe("what is no fold", () => {
  /** The size of the prompt that the first fold is made for, where something is done to the session before. */
  async function firstFoldAt(act: (session: Session) => Promise<unknown>): Promise<number> {
    const session = await createEngine({ ...LARGE, model: CLAUDE }).session("task");
    const messages = toolLoop(60, 1_400);
    await session.append(...messages.slice(0, 36));
    await session.prepare();
    await act(session);
    for (const message of messages.slice(36)) {
      await session.append(message);
      const { report } = await session.prepare();
      if (report.foldIds.length > 0) return report.prevContextTokens;
    }
    return Number.POSITIVE_INFINITY;
  }

  test("does not put off the first fold: a notice of how full the window is", async () => {
    const fold = async (budgetNotice: boolean) =>
      (
        await firstFoldOf(toolLoop(60, 1_400), {
          contextWindow: 100_000,
          configuration: { monitoring: { budgetNotice } },
        })
      )?.prevContextTokens ?? 0;
    const [told, silent] = [await fold(true), await fold(false)];
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(1.1 * silent);
  });

  test.each<[string, (session: Session) => Promise<unknown>]>([
    ["a pin", (session) => session.mark("m3", { important: true })],
    ["an edit", (session) => session.update("m2", (messages) => messages.map((message) => ({ ...message, note: 1 })))],
    [
      "a rewind that is taken back",
      async (session) => {
        await session.rewind({ toMessage: "m30" });
        await session.rewind({ undo: true });
      },
    ],
  ])("does not put off the first fold: %s", async (_, act) => {
    const plain = await firstFoldAt(async () => {});
    expect(plain).toBeLessThan(60_000);
    expect(await firstFoldAt(act)).toBeLessThan(1.1 * plain);
  });
});

describe("a cold cache", () => {
  const MINUTES = 60_000;

  async function foldedAfter(pauseMs: number, messages: readonly Message[]): Promise<boolean> {
    let now = 1_000_000;
    const session = await createEngine({ ...LARGE, model: CLAUDE, now: () => now }).session("task");
    await session.append(...messages.slice(0, -2));
    expect((await session.prepare()).report.foldIds).toEqual([]);
    await session.append(...messages.slice(-2));
    now += pauseMs;
    return (await session.prepare()).report.foldIds.length > 0;
  }

  test("is a reason to fold, as all of the prompt would be written to it again", async () => {
    expect(await foldedAfter(4 * MINUTES, toolLoop(18, 1_400))).toBe(false);
    expect(await foldedAfter(6 * MINUTES, toolLoop(18, 1_400))).toBe(true);
  });

  test("is none where there is nothing to gain, or the clock was set back", async () => {
    expect(await foldedAfter(600 * MINUTES, toolLoop(8, 1_400))).toBe(false);
    expect(await foldedAfter(-600 * MINUTES, toolLoop(18, 1_400))).toBe(false);
  });
});

describe("a fold that prices asked for", () => {
  test("is the same bytes where the session is opened again before each request", async () => {
    const path = join(temporaryFolder(), "sessions.db");
    const messages = toolLoop(60, 1_400);
    const views: string[][] = [[], []];
    const store = sqliteStore({ path });
    const live = await createEngine({ ...LARGE, model: CLAUDE, store }).session("live");
    for (const message of messages) {
      await live.append(message);
      views[0]?.push(JSON.stringify((await live.prepare()).messages));
      live.observe({ inputTokens: 0 });
      const again = await createEngine({ ...LARGE, model: CLAUDE, store }).session("again");
      await again.append(message);
      views[1]?.push(JSON.stringify((await again.prepare()).messages));
      again.observe({ inputTokens: 0 });
      // What was observed is kept soon afterwards.
      await setTimeout();
      await again.events();
      again.close();
    }
    await store.close();
    const withoutIds = (view: string) =>
      view.replaceAll(/\b(?:condense|dedupe|clear|clip|truncate)-[0-9a-z]+/g, "fold");
    expect(views[1]?.map(withoutIds)).toEqual(views[0]?.map(withoutIds));
  });

  test("is not made again at once for what a person has restored", async () => {
    const session = await createEngine({ ...LARGE, model: CLAUDE }).session("task");
    const messages = toolLoop(60, 1_400);
    let foldId: string | undefined;
    let next = 0;
    for (; foldId === undefined && next < messages.length; next++) {
      await session.append(...messages.slice(next, next + 1));
      [foldId] = (await session.prepare()).report.foldIds;
    }
    await session.restore(String(foldId));
    const { report } = await session.prepare();
    expect(report.foldIds).toEqual([]);
    await session.append(...messages.slice(next, next + 6));
    expect((await session.prepare()).report.foldIds).toEqual([]);
  });
});
