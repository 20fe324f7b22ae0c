/** What real agents send beside plain text and calls, on each wire: all of it must reach the provider as it is. */
import type { WireFixture } from "./gateway-fixture.ts";
import { ANTHROPIC_FIXTURES } from "./gateway-fixtures-anthropic.ts";
import { CHAT_FIXTURES } from "./gateway-fixtures-chat.ts";
import { GEMINI_FIXTURES } from "./gateway-fixtures-gemini.ts";
import { RESPONSES_FIXTURES } from "./gateway-fixtures-responses.ts";

export const WIRE_FIXTURES: readonly WireFixture[] = [
  ...ANTHROPIC_FIXTURES,
  ...GEMINI_FIXTURES,
  ...RESPONSES_FIXTURES,
  ...CHAT_FIXTURES,
];
