import { spawn } from "node:child_process";
import type { CommandOption } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

export const OPEN_OPTION = { about: "open the dashboard in your browser" } as const satisfies CommandOption;

/** The URL of a gateway's dashboard. */
export function dashboardUrl(gatewayUrl: string): string {
  return `${gatewayUrl}/palimpsest/`;
}

/** The command that opens a URL on a system: `$BROWSER`, or else the system's own. */
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

/** Opens a URL in the person's browser. If that fails, it writes a note, and does not throw. */
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
