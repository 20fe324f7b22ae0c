/** What one report teaches: the first on a prompt, one after several turns, one with another system prompt. */
import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import { prose } from "../../../test/support/sessions.ts";
import { countMessagesTokens } from "./count-messages.ts";
import { anchor, createForecast, forecast, learnFirst, rebase, shiftOverhead } from "./forecast.ts";
import { isForecastState } from "./is-forecast-state.ts";
import { measure } from "./measure-messages.ts";

const talk = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => [
    user(prose(200, `ask ${turn}`)),
    assistant(prose(100, `reply ${turn}`)),
  ]).flat();

describe("the first report", () => {
  const ratioAfter = (overheadTokens: number, turns: number, ratio: number) => {
    const messages = talk(turns);
    const reported = Math.round(ratio * (overheadTokens + countMessagesTokens(messages)) + 4 * messages.length);
    return learnFirst(createForecast({ overheadTokens }), reported, measure(messages)).calibration.input.ratio;
  };

  test("on a long conversation says how the model counts", () => {
    expect(ratioAfter(500, 100, 1.3)).toBeCloseTo(1.3, 1);
    expect(ratioAfter(500, 100, 0.8)).toBeCloseTo(0.8, 1);
  });

  test("on a first question behind a long system prompt says hardly anything of that", () => {
    expect(Math.abs(ratioAfter(30_000, 1, 1.3) - 1)).toBeLessThan(0.05);
  });

  test("is split once: what was measured is not split again", () => {
    const messages = talk(20);
    const measured = anchor(createForecast(), { inputTokens: 9_000 }, { newMessages: messages });
    for (const state of [measured, rebase(measured)]) expect(learnFirst(state, 12_000, measure(messages))).toBe(state);
  });
});

test("growth over several turns teaches how the model counts", () => {
  const ratio = 1.4;
  const [before, added] = [talk(4), talk(8).slice(8)];
  let state = anchor(createForecast(), { inputTokens: 3_000 }, { newMessages: before });
  const grown = ratio * countMessagesTokens(added) + 4 * added.length;
  state = anchor(state, { inputTokens: Math.round(3_000 + grown) }, { newMessages: added });
  expect(state.calibration.input.ratio).toBeGreaterThan(1.2);
});

describe("another system prompt", () => {
  const messages = talk(10);

  test("is added to the anchor, and to what a recount starts from, as the model counts", () => {
    const start = createForecast({ tokenRatio: 1.5, overheadTokens: 1_000 });
    const state = anchor(start, { inputTokens: 6_000 }, { newMessages: messages });
    const shifted = shiftOverhead(state, 200);
    expect(forecast(shifted, [])).toBe(6_300);
    expect(forecast(rebase(shifted), messages)).toBe(forecast(rebase(state), messages) + 300);
    expect(forecast(shiftOverhead(start, 200), [])).toBe(1_800);
    expect(shiftOverhead(state, 0)).toBe(state);
  });

  test("that is shorter leaves nothing below zero", () => {
    const state = anchor(createForecast({ overheadTokens: 10 }), { inputTokens: 6_000 });
    expect(forecast(shiftOverhead(state, -1_000_000), [])).toBe(0);
  });
});

describe("what was read from a file", () => {
  const state = anchor(createForecast({ overheadTokens: 10 }), { inputTokens: 600 }, { newMessages: talk(1) });
  const damaged = [
    undefined,
    5,
    {},
    { ...state, overhead: undefined },
    { ...state, overhead: { type: "counted", tokens: -1 } },
    { ...state, overhead: { type: "measured", promptTokens: 5, messages: {} } },
    { ...state, anchor: { promptTokens: "many" } },
    { ...state, calibration: { input: state.calibration.input } },
    { ...state, calibration: { ...state.calibration, reply: { ...state.calibration.reply, variance: 5 } } },
  ];

  test("is taken where it is a state", () => {
    expect([state, rebase(state), createForecast()].map(isForecastState)).toEqual([true, true, true]);
    expect(damaged.filter(isForecastState)).toEqual([]);
  });
});
