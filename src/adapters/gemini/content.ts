/** One turn in Gemini's format. The SDK's own `Content` fits. */
export interface GeminiContent {
  /** `"user"` or `"model"`; without one, Gemini takes it as the user's. */
  readonly role?: string;
  readonly parts?: readonly GeminiPart[];
}

/** One part of a turn. The second form lets literals with fields that we do not read compile. */
export type GeminiPart = GeminiPartFields | { readonly [field: string]: unknown };

export interface GeminiPartFields {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: object;
}
