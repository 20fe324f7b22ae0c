/** The prefixes of session ids under which integrations keep records of their own in a store, beside the sessions of engines. */
const INTEGRATIONS = [
  { prefix: "langgraph:", owner: "the checkpointer of palimpsest/langchain" },
  { prefix: "claude-agent:", owner: "the session store of palimpsest/claude-agent-sdk" },
] as const;

export type IntegrationPrefix = (typeof INTEGRATIONS)[number]["prefix"];

/** The integration that keeps its records under this id; undefined for a session of an engine. */
export function integrationOf(sessionId: string): string | undefined {
  return INTEGRATIONS.find(({ prefix }) => sessionId.startsWith(prefix))?.owner;
}
