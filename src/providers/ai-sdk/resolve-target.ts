import { assert, describeValue } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { ModelHandlerOptions } from "./model-handler-options.ts";
import { type Connection, PROVIDERS, type Provider } from "./provider-table.ts";

/** A model, and how it is reached. */
export interface Target {
  /** As the user wrote it: `provider/model`. */
  readonly name: string;
  readonly provider: Provider;
  readonly modelId: string;
  readonly connection: Connection;
}

/** Resolves the options to a model of a provider. Throws `invalid-argument` where one is wrong or missing. */
export function resolveTarget(options: ModelHandlerOptions): Target {
  const { providerName, provider, modelId } = parseModel(options.model);
  const apiKey = findKey(providerName, provider, options);
  const connection = {
    baseURL: findBaseUrl(providerName, provider, options),
    headers: { ...options.headers },
    ...(apiKey !== undefined && { apiKey }),
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  };
  return { name: options.model, provider, modelId, connection };
}

function parseModel(model: unknown) {
  const names = Object.keys(PROVIDERS).join(", ");
  const allowed = `"provider/model", where the provider is one of ${names}`;
  assert(typeof model === "string", "model", model, allowed);
  const slash = model.indexOf("/");
  assert(slash > 0 && slash < model.length - 1, "model", model, allowed);
  const providerName = model.slice(0, slash);
  const provider = Object.hasOwn(PROVIDERS, providerName) ? PROVIDERS[providerName] : undefined;
  assert(provider !== undefined, "The provider of model", providerName, `one of ${names}`);
  return { providerName, provider, modelId: model.slice(slash + 1) };
}

function findKey(providerName: string, { key }: Provider, options: ModelHandlerOptions): string | undefined {
  // the value itself is not shown, because it may contain a key
  assert(["string", "undefined"].includes(typeof options.apiKey), "apiKey", `a ${typeof options.apiKey}`, "a string");
  const environment = options.environment ?? process.env;
  // keys pasted into files and variables often end with a line break, which a header cannot have
  const apiKey = [options.apiKey, ...key.variables.map((variable) => environment[variable])]
    .map((candidate) => candidate?.trim())
    .find((candidate) => candidate !== undefined && candidate !== "");
  if (apiKey === undefined && key.isRequired) {
    throw new PalimpsestError(
      "invalid-argument",
      `There is no API key for ${providerName}. Set ${key.variables.join(" or ")}, or pass apiKey.`,
    );
  }
  return apiKey;
}

function findBaseUrl(providerName: string, { baseUrl: usual }: Provider, options: ModelHandlerOptions): string {
  const baseUrl = options.baseUrl ?? usual;
  if (baseUrl === undefined) {
    throw new PalimpsestError(
      "invalid-argument",
      `${providerName} has no address of its own. Pass baseUrl, such as "http://127.0.0.1:8080/v1".`,
    );
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  // not shown if it has a password, because errors are logged
  const shown = url !== undefined && url.password !== "" ? "a URL with a password" : describeValue(baseUrl);
  if (!isHttp || url?.username !== "" || url.password !== "") {
    throw new PalimpsestError(
      "invalid-argument",
      `baseUrl is ${shown}; it must be an http or https URL without user name and password.`,
    );
  }
  return baseUrl;
}
