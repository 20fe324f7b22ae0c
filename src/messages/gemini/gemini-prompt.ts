/**
 * What Google's client takes for a conversation. Parts and fields of this API that are not listed here are carried as they came. Arrays are
 * mutable because the client's types are.
 */
export interface GeminiPrompt {
  contents: GeminiContent[];
  /** Present if there is a system prompt. Spread it into your own `config`, if you have one. */
  config?: { systemInstruction: string };
}

export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

/** A text, a call, a response, inline data or a file's address. */
export interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: GeminiFunctionCall;
  functionResponse?: GeminiFunctionResponse;
  inlineData?: GeminiInlineData;
  fileData?: { fileUri: string };
}

export interface GeminiFunctionCall {
  id?: string;
  name: string;
  args: Record<string, unknown>;
}

export interface GeminiFunctionResponse {
  id?: string;
  name: string;
  response: Record<string, unknown>;
  /** Images and the like that a tool returned. */
  parts?: GeminiMediaPart[];
}

export interface GeminiMediaPart {
  inlineData?: GeminiInlineData;
  fileData?: { fileUri: string };
}

export interface GeminiInlineData {
  mimeType: string;
  data: string;
}

/** A turn as Google's client gives or takes it: the `content` of a candidate is one. */
export interface GeminiContentLike {
  readonly role?: string;
  readonly parts?: readonly object[];
}
