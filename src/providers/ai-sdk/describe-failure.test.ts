import { describe, expect, test } from "vitest";
import { describeFailure } from "./describe-failure.ts";

describe("describeFailure", () => {
  test.each([408, 409, 429, 500, 502, 503, 529])("takes %i for passing", (statusCode) => {
    expect(describeFailure({ message: "m", statusCode })).toMatchObject({ status: statusCode, isTransient: true });
  });

  test.each([400, 401, 403, 404, 413, 422])("takes %i for final", (statusCode) => {
    expect(describeFailure({ message: "m", statusCode, isRetryable: true })).toMatchObject({ isTransient: false });
  });

  test("believes a package that calls a passing status final", () => {
    expect(describeFailure({ statusCode: 429, isRetryable: false }).isTransient).toBe(false);
  });

  test("takes what never reached the provider for passing only where the package says so", () => {
    expect(describeFailure({ message: "m", isRetryable: true })).toMatchObject({
      status: undefined,
      isTransient: true,
    });
    expect(describeFailure(new TypeError("a bug"))).toMatchObject({ status: undefined, isTransient: false });
  });

  test("reads the status of an error inside a stream from its code", () => {
    expect(describeFailure({ message: "m", code: 502 })).toMatchObject({ status: 502, isTransient: true });
    expect(describeFailure({ message: "m", code: "context_length_exceeded" }).status).toBeUndefined();
  });

  test.each([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after-ms": "250", "retry-after": "3" }, 250],
    [{ "retry-after": "Sat, 15 Nov 2025 08:00:30 GMT", date: "Sat, 15 Nov 2025 08:00:00 GMT" }, 30_000],
    [{ "retry-after": "Sat, 15 Nov 2025 08:00:30 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("reads %o as a wait of %s ms", (responseHeaders, retryAfterMs) => {
    expect(describeFailure({ statusCode: 429, responseHeaders }).retryAfterMs).toBe(retryAfterMs);
  });

  test("shows the body of an error whose shape the package does not know", () => {
    const unknownShape = { message: "Bad Request", statusCode: 400, responseBody: '{"detail":"prompt too long"}' };
    expect(describeFailure(unknownShape).message).toBe('Bad Request: {"detail":"prompt too long"}');
    expect(describeFailure({ ...unknownShape, message: "prompt too long", data: {} }).message).toBe("prompt too long");
  });

  test("knows a prompt that is too long by the body, and does not try it again", () => {
    const responseBody = JSON.stringify({ error: { message: "no", code: "context_length_exceeded" } });
    expect(
      describeFailure({ message: "no", statusCode: 500, isRetryable: true, data: {}, responseBody }),
    ).toMatchObject({
      isTransient: false,
      tooLong: { isTooLong: true, by: "tokens" },
    });
  });

  test.each([undefined, null, "text", 42])("survives %j", (thrown) => {
    expect(describeFailure(thrown)).toMatchObject({ message: String(thrown), isTransient: false });
  });
});
