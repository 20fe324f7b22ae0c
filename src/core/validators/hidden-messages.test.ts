import { describe, expect, test } from "vitest";
import { assistant, chat, ids, user } from "../../../test/support/messages.ts";
import { hiddenMessages } from "./hidden-messages.ts";

describe("hiddenMessages", () => {
  const view = chat(6);

  test("are those that the view after no longer holds", () => {
    const after = [...view.slice(0, 1), assistant("summary"), ...view.slice(4)];
    expect(ids(hiddenMessages(view, after))).toEqual(["m1", "m2", "m3"]);
    expect(hiddenMessages(view, view)).toEqual([]);
  });

  test("do not include copies with the same id", () => {
    const after = structuredClone([...view.slice(0, 1), ...view.slice(4)]);
    expect(ids(hiddenMessages(view, after))).toEqual(["m1", "m2", "m3"]);
  });

  test("do not include equal copies without ids, each of which accounts for one message", () => {
    const [same, again, other] = [user("continue"), user("continue"), user("other")];
    expect(hiddenMessages([same, again, other], [user("continue")])).toEqual([again, other]);
  });
});
