import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { readRoute, SESSION_SCREENS, sessionHash, sessionsHash } from "./route.ts";

test("an address leads back to the session, the screen and the place that it names", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(...SESSION_SCREENS),
      fc.option(text, { nil: undefined }),
      (sessionId, screen, at) => {
        expect(readRoute(sessionHash(sessionId, screen, at))).toEqual({ screen, sessionId, at });
      },
    ),
    PROPERTY_RUNS,
  );
});

test.each(["", "#", "#/", "#/session", "#/session//now", "#/unknown/x"])("%j is the list of sessions", (hash) => {
  expect(readRoute(hash)).toEqual({ screen: "sessions", query: "" });
});

test("a search is an address too", () => {
  expect(readRoute(sessionsHash("rate & limit?"))).toEqual({ screen: "sessions", query: "rate & limit?" });
});

test("what is no screen, or no address, leads somewhere all the same", () => {
  expect(readRoute("#/session/a/nothing")).toEqual({ screen: "now", sessionId: "a", at: undefined });
  expect(readRoute("#/session/%E0%A4%A/strata")).toMatchObject({ screen: "strata", sessionId: "%E0%A4%A" });
});
