import { NO_FOLLOWER, type Turn } from "../turn.ts";
import type { ReportIncident } from "./incidents.ts";

/** The same turn, none of whose members throws: what fails is reported, and the request goes on without it. Followers may throw. */
export function guardTurn(turn: Turn, report: ReportIncident): Turn {
  function safely<Value>(what: string, read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (error) {
      report(what, error);
      return otherwise;
    }
  }
  return {
    modelId: safely("reading a turn", () => turn.modelId, ""),
    isStreaming: safely("reading a turn", () => turn.isStreaming, false),
    body: safely("reading a turn", () => turn.body, undefined),
    sent: () => safely("writing a request down", () => turn.sent(), undefined),
    headers: () => safely("headers of a reply", () => turn.headers(), {}),
    // Whoever asks for less waits for it, and takes a rejection as well as an answer.
    shorten: async (refusal) => turn.shorten(refusal),
    get follower() {
      return safely("following a reply", () => turn.follower, NO_FOLLOWER);
    },
    end: (outcome) => safely("ending a turn", () => turn.end(outcome), undefined),
  };
}
