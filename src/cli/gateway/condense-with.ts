import { missingPackage } from "../../core/missing-package.ts";
import type { CondensationPlugin } from "../../core/ports/condensation.ts";
import { modelCondenser } from "../../engine/condense/model-condenser.ts";
import type { Upstreams } from "../../gateway/gateway.ts";
import { type Command, wrongUsage } from "../terminal/command-line.ts";
import type { Environment } from "../terminal/output.ts";
import type { Api } from "./agent.ts";
import { withVersion } from "./base-url.ts";

export interface CondenseWithOptions {
  readonly command: Command;
  /** The gateway's upstreams, which are asked for summaries too. */
  readonly upstreams: Upstreams;
  /** The environment that holds the providers' keys. */
  readonly environment: Environment;
}

const API_OF_PROVIDER: Readonly<Record<string, Api>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-compatible": "openai",
  google: "gemini",
};

/** The condenser that asks `provider/model`. Throws at once if its key or its package is missing, before any request needs it. */
export async function condenseWith(name: string, options: CondenseWithOptions): Promise<CondensationPlugin> {
  const { command, upstreams, environment } = options;
  const [{ createModelHandler }, { PROVIDERS }] = await Promise.all([
    import("../../providers/ai-sdk/create-model-handler.ts"),
    import("../../providers/ai-sdk/provider-table.ts"),
  ]);
  const providerName = name.split("/", 1)[0] ?? "";
  const provider = Object.hasOwn(PROVIDERS, providerName) ? PROVIDERS[providerName] : undefined;
  const api = Object.hasOwn(API_OF_PROVIDER, providerName) ? API_OF_PROVIDER[providerName] : undefined;
  const baseUrl = api === undefined ? undefined : withVersion(upstreams, api);
  if (providerName === "openai-compatible" && baseUrl === undefined) {
    throw wrongUsage(command, `--condense-with ${name} needs --openai-upstream, the server that has the model.`);
  }
  if (provider === undefined || !/^[^/]+\/./.test(name)) {
    const providers = Object.keys(PROVIDERS).join(", ");
    throw wrongUsage(
      command,
      `--condense-with is ${JSON.stringify(name)}; it must be provider/model, such as anthropic/claude-haiku-4-5. The providers are ${providers}.`,
    );
  }
  const { key, packageName } = provider;
  if (key.isRequired && key.variables.every((variable) => (environment[variable] ?? "").trim() === "")) {
    throw wrongUsage(command, `--condense-with ${name} needs an API key. Set ${key.variables.join(" or ")}.`);
  }
  const handler = createModelHandler({ model: name, baseUrl, environment });
  await import(packageName).catch((error: unknown) => {
    throw missingPackage(packageName, error) ?? error;
  });
  return modelCondenser(handler);
}
