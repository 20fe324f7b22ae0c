/** Whether a text is bytes in base64: providers, and some clients before them, refuse media that is not. */
export function isBase64(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
