/** An agent that is made with the SDK of a provider, as tests drive it. */

import type { ModelWire } from "../../src/testing/index.ts";
import type { KnownWire } from "./known-wires.ts";

export interface ClientOptions {
  /** Gives the origin, without a version, that the next request goes to. */
  readonly url: () => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  /** More fields of the request's body. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SdkClient {
  /** The conversation as the SDK takes it; what the user says, and what replies say, is added to it. */
  readonly history: object[];
  say(text: string): void;
  /** Sends the conversation. Resolves when the reply is whole, and has been added. */
  ask(isStreaming: boolean, signal?: AbortSignal): Promise<SdkReply>;
  /** Answers the calls of the newest reply, in their order. */
  giveOutputs(outputs: readonly string[]): void;
}

export interface SdkReply {
  readonly text: string;
  readonly callCount: number;
  readonly headers: Headers;
}

export interface SdkKind {
  readonly name: string;
  readonly api: KnownWire;
  readonly wire: ModelWire;
  /** The field of the body that holds the conversation. */
  readonly field: "messages" | "input" | "contents";
  open(options: ClientOptions): SdkClient;
}

export const API_KEY = "sk-of-the-client-0123456789";

export const SYSTEM_PROMPT = "You are a careful programmer. Read files before you say what is in them.";

export const READ_FILE = {
  name: "read_file",
  description: "Reads a file of the project and shows what is in it.",
  parameters: { type: "object" as const, properties: { path: { type: "string" as const } }, required: ["path"] },
};
