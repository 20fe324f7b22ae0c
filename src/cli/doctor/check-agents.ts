import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Agent } from "../gateway/agent.ts";
import { AGENTS } from "../gateway/agents.ts";
import { agentUpstreams, pointAgent, waysThatApply } from "../gateway/point-agent.ts";
import type { Environment } from "../terminal/output.ts";
import { type Finding, failed } from "./finding.ts";

/** The agents on the PATH, and whether `run` can connect each. */
export function checkAgents(environment: Environment): readonly Finding[] {
  const found = AGENTS.flatMap((agent) => {
    const program = agent.programs.find((name) => programPath(name, environment) !== undefined);
    return program === undefined ? [] : [checkAgent(agent, program, environment)];
  });
  if (found.length > 0) return found;
  const known = AGENTS.flatMap(({ programs }) => programs).join(", ");
  const fix = "Install one, or start it by npx: palimpsest run -- npx <package>.";
  return [{ check: "agents", result: "note", text: `none that run knows is on the PATH (${known}). ${fix}` }];
}

function checkAgent(agent: Agent, program: string, environment: Environment): Finding {
  const check = `agent ${program}`;
  try {
    agentUpstreams(agent, environment);
    const [command, url] = [[program], "http://127.0.0.1:PORT"];
    const writeFile = (fileName: string) => fileName;
    const { notes } = pointAgent({
      found: { agent, place: 0 },
      command,
      environment,
      url,
      writeFile,
      hasRecall: false,
    });
    const isConnected = waysThatApply(agent.ways, environment).some(({ type }) => type !== "note");
    const what = isConnected
      ? `palimpsest run -- ${program} connects ${agent.title}`
      : `run cannot connect ${agent.title} by itself`;
    const text = [what, ...notes].join(". ");
    return { check, result: isConnected && notes.length === 0 ? "ok" : "note", text };
  } catch (error) {
    return failed(check, error);
  }
}

/** The path of a program in the folders of the PATH; undefined if there is none that may be run. */
function programPath(name: string, { PATH = "", PATHEXT = "" }: Environment): string | undefined {
  const endings = process.platform === "win32" ? PATHEXT.split(";") : [""];
  return PATH.split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
