import { asText, fieldAt, isRecord } from "../json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "./message.ts";

/** A wire with rules of its own, besides those that all providers share. */
export type ViewWire = keyof typeof WIRE_RULES;

export type WireProblemCode = "unsigned-reasoning" | "unsupported-media" | "invalid-arguments" | "invalid-call-id";

/** Why one provider refuses a block that others accept. */
export interface WireFault {
  readonly code: WireProblemCode;
  readonly reason: string;
}

type BlockRule = (block: Block, role: Message["role"]) => WireFault | undefined;

const ANTHROPIC_MEDIA = /^image\/(?:jpeg|png|gif|webp)$/;
const GEMINI_OTHER_IMAGE = /^image\/(?!(?:png|jpeg|webp|heic|heif)$)/;

const WIRE_RULES = {
  anthropic: [
    signedReasoning,
    objectArguments,
    (block) => mediaFault(block, (type) => ANTHROPIC_MEDIA.test(type)),
    (block, role) =>
      block.type === "image" && role === "assistant"
        ? { code: "unsupported-media", reason: "Only the user's messages may hold an image." }
        : undefined,
    (block) =>
      block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(asText(fieldAt(block, "id")) ?? "")
        ? { code: "invalid-call-id", reason: "The id of a call has letters, digits, _ and - alone." }
        : undefined,
  ],
  gemini: [objectArguments, (block) => mediaFault(block, (type) => !GEMINI_OTHER_IMAGE.test(type))],
} as const satisfies Readonly<Record<string, readonly BlockRule[]>>;

export function isViewWire(name: unknown): name is ViewWire {
  return typeof name === "string" && Object.hasOwn(WIRE_RULES, name);
}

export const VIEW_WIRES: readonly string[] = /* @__PURE__ */ Object.keys(WIRE_RULES);

/** The reasons for which this provider alone refuses a block. */
export function findWireFaults(block: Block, role: Message["role"], wire: ViewWire): readonly WireFault[] {
  const rules: readonly BlockRule[] = WIRE_RULES[wire];
  return isKnownBlock(block) ? rules.flatMap((rule) => rule(block, role) ?? []) : [];
}

function signedReasoning(block: Block): WireFault | undefined {
  if (block.type !== "reasoning") return undefined;
  const isSigned = [fieldAt(block, "signature"), fieldAt(block, "redactedData")].some((each) => asText(each));
  return isSigned ? undefined : { code: "unsigned-reasoning", reason: "Reasoning goes back with its signature alone." };
}

function objectArguments(block: Block): WireFault | undefined {
  if (block.type !== "tool_use" || isRecord(fieldAt(block, "input"))) return undefined;
  return { code: "invalid-arguments", reason: "The arguments of a call must be an object." };
}

function mediaFault(block: Block, isTaken: (mediaType: string) => boolean): WireFault | undefined {
  const mediaType = block.type === "image" ? asText(fieldAt(block, "source", "media_type")) : undefined;
  if (mediaType === undefined || isTaken(mediaType)) return undefined;
  return { code: "unsupported-media", reason: `An image of type ${mediaType} is not taken.` };
}
