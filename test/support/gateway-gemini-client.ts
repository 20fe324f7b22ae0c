import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from "@google/genai";
import {
  API_KEY,
  type ClientOptions,
  READ_FILE,
  type SdkClient,
  type SdkKind,
  SYSTEM_PROMPT,
} from "./gateway-client.ts";

export const geminiKind: SdkKind = {
  name: "@google/genai",
  api: "gemini",
  wire: "gemini",
  field: "contents",
  open: openGemini,
};

export function openGemini(options: ClientOptions): SdkClient {
  const { model = "gemini-3-pro-preview", fields = {} } = options;
  const history: Content[] = [];
  let calls: readonly NonNullable<Part["functionCall"]>[] = [];
  return {
    history,
    say: (text) => void history.push({ role: "user", parts: [{ text }] }),
    async ask(isStreaming, signal) {
      const client = geminiClient(options);
      const { parameters, ...named } = READ_FILE;
      const request = {
        model,
        contents: history,
        config: {
          systemInstruction: SYSTEM_PROMPT,
          tools: [{ functionDeclarations: [{ ...named, parametersJsonSchema: parameters }] }],
          ...(signal === undefined ? {} : { abortSignal: signal }),
          ...fields,
        },
      };
      const replies: GenerateContentResponse[] = [];
      if (isStreaming)
        for await (const piece of await client.models.generateContentStream(request)) replies.push(piece);
      else replies.push(await client.models.generateContent(request));
      const parts = replies.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      if (!replies.some(({ candidates }) => candidates?.[0]?.finishReason !== undefined)) throw new Error("no end");
      history.push({ role: "model", parts });
      calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
      const replyHeaders = new Headers(replies[0]?.sdkHttpResponse?.headers ?? {});
      return { text: parts.map(({ text = "" }) => text).join(""), callCount: calls.length, headers: replyHeaders };
    },
    giveOutputs: (outputs) =>
      void history.push({
        role: "user",
        parts: calls.map(({ id, name }, index) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name: name ?? "",
            response: { output: outputs[index] ?? "" },
          },
        })),
      }),
  };
}

export function geminiClient({ url, headers = {} }: ClientOptions): GoogleGenAI {
  return new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: url(), headers: { ...headers } } });
}
