/** Everything that counts o200k_base tokens in this comparison, each loaded only when asked for. */

export type CountText = (text: string) => number;

export const OURS = "palimpsest";

const LOADERS: Readonly<Record<string, () => Promise<CountText>>> = {
  [OURS]: async () => (await import("palimpsest/core")).countTextTokens,
  "ai-tokenizer": async () => {
    const { Tokenizer } = await import("ai-tokenizer");
    const tokenizer = new Tokenizer(await import("ai-tokenizer/encoding/o200k_base"));
    return (text) => tokenizer.count(text);
  },
  "gpt-tokenizer": async () => {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const asOrdinaryText = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, asOrdinaryText);
  },
  tiktoken: async () => {
    const { get_encoding } = await import("tiktoken");
    const encoder = get_encoding("o200k_base");
    return (text) => encoder.encode_ordinary(text).length;
  },
  "js-tiktoken": async () => {
    const { Tiktoken } = await import("js-tiktoken/lite");
    const encoder = new Tiktoken((await import("js-tiktoken/ranks/o200k_base")).default);
    return (text) => encoder.encode(text, [], []).length;
  },
};

export const COUNTER_NAMES = Object.keys(LOADERS);

export async function loadCounter(name: string): Promise<CountText> {
  const load = LOADERS[name];
  if (!load) throw new Error(`No counter is called ${name}. There are ${COUNTER_NAMES.join(", ")}.`);
  return load();
}
