/** What Roo Code's tests take from the rest of it: a provider that counts with its counter, a telemetry that nobody reads, and images that stay. */
import type { Content } from "../../src/core/message/message.ts";
import { tiktoken } from "./roo-code.ts";

export abstract class BaseProvider {
  countTokens(content: Content): Promise<number> {
    return tiktoken(content);
  }
}

const silent: object = new Proxy({}, { get: () => () => {} });

export const TelemetryService = {
  hasInstance: () => true,
  createInstance: () => silent,
  instance: silent,
};

export function maybeRemoveImageBlocks<Messages>(messages: Messages): Messages {
  return messages;
}
