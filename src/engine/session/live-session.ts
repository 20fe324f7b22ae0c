import type { CountTokens } from "../../core/message/message.ts";
import type { BackOff } from "../condense/back-off.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import type { LogState } from "./log-state.ts";
import type { Offloading } from "./offloader.ts";
import type { PromptMeter } from "./prompt-meter.ts";
import type { RentMeter } from "./rent-meter.ts";
import type { SessionEvent } from "./report.ts";
import type { SessionLog } from "./session-log.ts";
import type { SessionModel } from "./session-model.ts";
import type { RepairedView } from "./view-repair.ts";

/** The parts of a session that its operations work on. */
export interface LiveSession {
  readonly id: string;
  systemPrompt(): string;
  readonly profileId: string;
  readonly log: SessionLog;
  readonly countTokens: CountTokens;
  /** The back-off of condensers that ask a model, and of those that do not. */
  readonly backOff: BackOff;
  readonly localBackOff: BackOff;
  readonly rent: RentMeter;
  /** Returns the view of a log as providers accept it. */
  readonly repaired: (state: LogState) => RepairedView;
  /** Looks at what is new in a long view in slices, before it is needed at once. */
  readonly lookAhead: () => Promise<void>;
  /** Aborted when the session is closed. */
  readonly closeSignal: AbortSignal;
  model(): SessionModel;
  meter(): PromptMeter;
  readonly ports: CondensationPorts;
  /** Starts writing the files of one fold; undefined where large outputs are not offloaded. */
  readonly offload: (() => Offloading) | undefined;
  record(event: SessionEvent): void;
}
