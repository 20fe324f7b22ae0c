/** What tests of agents need: a model server on loopback that is as strict as the real ones. */

export type {
  ModelRequest,
  ModelServer,
  ModelServerOptions,
  ModelWire,
  ScriptedReply,
  ScriptedToolCall,
  ScriptedUsage,
} from "./model-server/model-server.ts";
export { startModelServer } from "./model-server/start-model-server.ts";
