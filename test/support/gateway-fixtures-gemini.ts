import { type FixtureWire, type Item, PIXEL, SCHEMA, type WireFixture } from "./gateway-fixture.ts";

const gemini: FixtureWire = {
  path: "/v1beta/models/gemini-3-pro-preview:generateContent",
  field: "contents",
  headers: { "x-goog-api-key": "key" },
  fields: {
    systemInstruction: { parts: [{ text: "Be careful." }] },
    tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: SCHEMA }] }],
  },
  question: { role: "user", parts: [{ text: "Read all files." }] },
  turn: (index, output) => [
    { role: "model", parts: [{ ...functionCall(`c${index}`), thoughtSignature: `c2ln${index}` }] },
    { role: "user", parts: [{ functionResponse: { id: `c${index}`, name: "read_file", response: { output } } }] },
  ],
};

function functionCall(id: string): Item {
  return { functionCall: { id, name: "read_file", args: { path: `${id}.ts` } } };
}

const FIXTURES: readonly Omit<WireFixture, "wire">[] = [
  {
    name: "thought signatures, on calls in parallel and on text",
    items: [
      {
        role: "model",
        parts: [
          { text: "Let me see.", thought: true },
          { text: "", thoughtSignature: "dGV4dA==" },
          { ...functionCall("p1"), thoughtSignature: "Y2FsbA==" },
          functionCall("p2"),
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "p1", name: "read_file", response: { output: "one" } } },
          { functionResponse: { id: "p2", name: "read_file", response: { output: "two" } } },
        ],
      },
    ],
  },
  {
    name: "images in functionResponse.parts, and parts and fields of other kinds",
    items: [
      { role: "model", parts: [{ ...functionCall("i1"), thoughtSignature: "aW1n" }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "i1",
              name: "read_file",
              response: { output: { $ref: "a.png" } },
              parts: [{ inlineData: { mimeType: "image/png", data: PIXEL, displayName: "a.png" } }],
            },
          },
        ],
      },
      {
        role: "model",
        parts: [
          { executableCode: { language: "PYTHON", code: "print(1)" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" }, partMetadata: { a: 1 } },
        ],
      },
      { role: "user", parts: [{ text: "Go on." }] },
    ],
    fields: {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" }, temperature: 1.0 },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      labels: { team: "a" },
    },
  },
];

export const GEMINI_FIXTURES: readonly WireFixture[] = FIXTURES.map((fixture) => ({
  ...fixture,
  name: `Gemini: ${fixture.name}`,
  wire: gemini,
}));
