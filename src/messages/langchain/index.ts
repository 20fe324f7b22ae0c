export { fromLangChain } from "./from-langchain.ts";
export type * from "./langchain-prompt.ts";
export { toLangChain } from "./to-langchain.ts";
