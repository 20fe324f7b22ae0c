import { readTooLong } from "../../core/policy/too-long.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";

/** Holds back the start of a streamed reply until its first content: until then the stream may still refuse its request. */
export interface HeldOpening {
  /** Takes a piece of the reply, and returns the text that is no longer held back; empty while no content has come. */
  push(text: string): string;
  /** Called when the reply has ended: the text that is still held back, and whether the reply refuses its request as too long. */
  end(): { readonly held: string; readonly isTooLong: boolean };
}

/** Creates the buffer of one reply; `follower` tells when its content begins. */
export function holdOpening(follower: ReplyFollower): HeldOpening {
  let held = "";
  let isSpeaking = false;
  return {
    push(text) {
      if (isSpeaking) return text;
      held += text;
      follower.push(text);
      isSpeaking = follower.stage() === "speaking";
      if (!isSpeaking) return "";
      const released = held;
      held = "";
      return released;
    },
    end() {
      const failure = isSpeaking ? undefined : follower.failure();
      return { held, isTooLong: failure !== undefined && readTooLong(failure).isTooLong };
    },
  };
}
