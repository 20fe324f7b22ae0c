import type { BarCategory, Now } from "../api/types.ts";

export interface BarSegment {
  readonly category: BarCategory;
  readonly name: string;
  readonly meaning: string;
  readonly tokens: number;
  /** Of the whole window, 0 to 1. */
  readonly share: number;
}

const CATEGORIES: Readonly<Record<BarCategory, readonly [name: string, meaning: string]>> = {
  system: ["System prompt", "what the agent's maker tells the model"],
  tools: ["Tools", "the descriptions of the tools that the model may call"],
  user: ["You", "what people said"],
  assistant: ["Model", "what the model said, and its tool calls"],
  toolResults: ["Tool results", "what tools answered: files, command output"],
  reasoning: ["Reasoning", "what the model thought, where it is sent again"],
  images: ["Images", "pictures and documents"],
  standIns: ["Stand-ins", "short texts that stand for what is hidden"],
  free: ["Free", "room for the conversation to grow"],
  reserved: ["Reserved", "kept for the reply, never filled"],
};

/** The window as a row of segments; those that are empty are left out. */
export function windowBar({ bar, contextWindow = 0 }: Pick<Now, "bar" | "contextWindow">): readonly BarSegment[] {
  const whole = Math.max(
    1,
    contextWindow,
    bar.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  return bar
    .filter(({ tokens }) => tokens > 0)
    .map(({ category, tokens }) => {
      const [name, meaning] = CATEGORIES[category] ?? [category, ""];
      return { category, name, meaning, tokens, share: tokens / whole };
    });
}

/** How much of the window is filled, 0 to 1; undefined where its size is not known. */
export function filledShare({
  promptTokens,
  contextWindow = 0,
}: Pick<Now, "promptTokens" | "contextWindow">): number | undefined {
  return contextWindow > 0 ? Math.min(1, promptTokens / contextWindow) : undefined;
}
