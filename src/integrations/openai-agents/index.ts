/** OpenAI Agents SDK: models that keep what an agent sends inside the window, and a session of the SDK over our log (`palimpsest/openai-agents`). */

export type * from "../../engine/engine-types.ts";
export type { AgentsConversation, PalimpsestModelOptions } from "./options.ts";
export { palimpsestModel, palimpsestProvider } from "./palimpsest-model.ts";
export { type PalimpsestSession, palimpsestSession } from "./palimpsest-session.ts";
export type { AgentsModel, AgentsModelProvider, AgentsModelRequest, AgentsModelResponse } from "./types.ts";
