import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelChunk, ReasoningBlockChunk } from "../../core/ports/model-handler.ts";
import { readSeals } from "./seals.ts";
import { toolUseChunk } from "./tool-use-chunk.ts";

type ReasoningPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

interface Thought {
  readonly text: string;
  readonly seals: Readonly<Record<string, string>>;
}

/** Makes chunks of the parts of one reply; undefined for parts that say nothing, or what we do not know. */
export function createPartReader(
  names: ReadonlyMap<string, { readonly name: string }>,
): (part: LanguageModelV4StreamPart) => ModelChunk | undefined {
  const thoughts = new Map<string, Thought>();

  function gather(part: ReasoningPart): Thought {
    const before = part.type === "reasoning-start" ? undefined : thoughts.get(part.id);
    const text = (before?.text ?? "") + (part.type === "reasoning-delta" ? part.delta : "");
    const thought = { text, seals: { ...before?.seals, ...readSeals(part.providerMetadata) } };
    thoughts.set(part.id, thought);
    return thought;
  }

  return (part) => {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? undefined : { type: "text", text: part.delta };
      case "reasoning-start":
        gather(part);
        return undefined;
      case "reasoning-delta":
        gather(part);
        return part.delta === "" ? undefined : { type: "reasoning", text: part.delta };
      case "reasoning-end":
        return reasoningBlockChunk(gather(part));
      case "tool-call":
        return part.providerExecuted === true ? undefined : toolUseChunk(part, names);
      default:
        return undefined;
    }
  };
}

function reasoningBlockChunk({ text, seals }: Thought): ReasoningBlockChunk | undefined {
  const isNothing = text === "" && Object.keys(seals).length === 0;
  return isNothing ? undefined : { type: "reasoning_block", block: { type: "reasoning", text, ...seals } };
}
