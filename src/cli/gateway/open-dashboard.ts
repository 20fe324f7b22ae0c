import { spawn } from "node:child_process";
import type { CommandOption } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

export const OPEN_OPTION = { about: "open the dashboard in your browser" } as const satisfies CommandOption;

/** Where a gateway shows its dashboard. */
export function dashboardUrl(gatewayUrl: string): string {
  return `${gatewayUrl}/palimpsest/`;
}

/** What opens an address on this system, by its name; `$BROWSER` comes first. */
export function browserCommand(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): readonly [program: string, ...programArguments: readonly string[]] {
  if (environment.BROWSER) return [environment.BROWSER];
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["explorer.exe"] : ["xdg-open"];
}

export interface OpenOptions {
  readonly notes: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Opens an address in the person's browser; where that fails, a note says so and the gateway goes on. */
export async function openInBrowser(url: string, { notes, environment }: OpenOptions): Promise<void> {
  const [program, ...programArguments] = browserCommand(process.platform, environment);
  const child = spawn(program, [...programArguments, url], { stdio: "ignore", detached: true });
  await new Promise<void>((resolve) => {
    child.once("spawn", () => resolve());
    child.once("error", (error) => {
      notes.write(`palimpsest: ${program} could not be started (${error.message}). Open ${url} yourself.\n`);
      resolve();
    });
  });
  child.unref();
}
