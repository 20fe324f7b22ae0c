import { describe, expect, test } from "vitest";
import { describeFailure, isConnectionLoss, isTransient, type Stage } from "./describe-failure.ts";

const TARGET = { address: "db:5432", user: "anna", database: "talks", password: "s3cret" };

/** As the driver gives an error that the server sent. */
function serverError(code: string, message = "words of the server"): Error {
  return Object.assign(new Error(message), { severity: "ERROR", code });
}

function socketError(code: string, message = ""): Error {
  return Object.assign(new Error(message), { code });
}

function told(error: unknown, stage: Stage = "writing"): string {
  const { code, message } = describeFailure(error, stage, TARGET);
  return `${code}: ${message}`;
}

describe("describeFailure", () => {
  test.each([
    ["28P01", "store-failed", /refused the user "anna".*password/],
    ["3D000", "store-failed", /no database "talks".*Create it/],
    ["53300", "store-failed", /no connection left.*maxConnections/],
    ["25006", "store-failed", /read-only, and nothing was written.*primary/],
    ["53100", "store-failed", /disk .* is full, and nothing was written.*Make room/],
    ["42501", "store-failed", /"anna" may not.*Grant/],
    ["57014", "store-failed", /nothing was written.*statement_timeout/],
    ["40P01", "conflict", /nothing was written/],
    ["XX001", "store-damaged", /"talks".*backup/],
    ["99999", "store-failed", /nothing was written: 99999: words of the server/],
  ])("says what %s means and what to do", (sqlState, code, words) => {
    expect(describeFailure(serverError(sqlState), "writing", TARGET).code).toBe(code);
    expect(told(serverError(sqlState))).toMatch(words);
    expect(told(serverError(sqlState))).toContain(sqlState);
  });

  test.each([
    socketError("ECONNRESET", "read ECONNRESET"),
    socketError("EPIPE"),
    new Error("Connection terminated unexpectedly"),
    serverError("57P01"),
    serverError("08006"),
  ])("says that a write may or may not have happened where the connection broke: %s", (error) => {
    expect(isConnectionLoss(error)).toBe(true);
    expect(told(error)).toMatch(/may or may not have happened/);
    expect(told(error, "reading")).toMatch(/Nothing was changed; try again/);
    expect(told(error, "connecting")).toMatch(/cannot be reached at db:5432/);
  });

  test("leaves out words that hold the password, in any spelling", () => {
    const target = { ...TARGET, user: "s3cret", password: "s3cret" };
    for (const error of [
      serverError("99999", "bad s3cret"),
      new Error("s3cret"),
      serverError("28P01", 'for "s3cret"'),
    ]) {
      expect(describeFailure(error, "writing", target).message).not.toContain("s3cret");
    }
    const encoded = describeFailure(new Error("p%40ss"), "connecting", { ...TARGET, password: "p@ss" });
    expect(encoded.message).not.toContain("p%40ss");
  });

  test("says nothing of what people wrote", () => {
    const error = Object.assign(serverError("23514"), { detail: "Failing row contains (private words)" });
    expect(told(error)).not.toContain("private");
  });
});

test("only what PostgreSQL undid for another's sake is tried again", () => {
  expect(["40001", "40P01", "53100", "57P01"].filter((code) => isTransient(serverError(code)))).toEqual([
    "40001",
    "40P01",
  ]);
});
