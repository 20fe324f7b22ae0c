import { expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { createHandedLogs, type HandedLog } from "./handed-logs.ts";

const log = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `m${at}` }));

function sendAll(handed: HandedLog): void {
  handed.handedMessages = handed.messages.length;
}

test("a log is gone on from once all of it was sent", () => {
  const logs = createHandedLogs(() => undefined);
  const messages = log(6);
  const handed = logs.add(1, messages.slice(0, 4));
  expect(logs.find(messages)).toBe(undefined);
  sendAll(handed);
  expect(logs.find(messages)).toEqual({ id: 1, messages: 4 });
  expect(logs.find([...messages.slice(0, 3), { role: "assistant", content: "other" }, ...messages.slice(4)])).toBe(
    undefined,
  );
});

test("a log that is given up is extended by the next one of its session", () => {
  const logs = createHandedLogs(() => undefined);
  const messages = log(6);
  const handed = logs.add(1, messages.slice(0, 4));
  sendAll(handed);
  expect(logs.extend(messages)).toBe(undefined);
  logs.release(handed);
  expect(logs.extend(messages)).toBe(handed);
  expect(handed).toMatchObject({ isHeld: true, handedMessages: 4, messages });
});

test("beyond eight, the one that was used longest ago is forgotten", () => {
  const forgotten: number[] = [];
  const logs = createHandedLogs((id) => forgotten.push(id));
  const all = Array.from({ length: 9 }, (_, at) => logs.add(at, log(2)));
  expect(forgotten).toEqual([0]);
  expect(all[0]?.isHeld).toBe(false);
});
