export { type Api, type ApiOptions, createApi } from "./create-api.ts";
