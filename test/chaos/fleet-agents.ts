/** Agents that all work at once, each made with the SDK of a provider, and what must be true of them in the end. */
import { setTimeout as delay } from "node:timers/promises";
import { parseJson } from "../../src/core/json/parse-json.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import type { SdkClient, SdkKind } from "../support/gateway-client.ts";
import { toolOutput } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";

export interface FleetAgent {
  readonly name: string;
  readonly kind: SdkKind;
  readonly client: SdkClient;
  /** How many outputs its tools have given. */
  readonly outputs: number;
  /** How often it had to send a step again. */
  readonly repeats: number;
}

export interface AgentsOptions {
  readonly url: string;
  readonly agents: number;
  /** The number of the first agent: agents of other numbers have other sessions. @default 0 */
  readonly first?: number;
  readonly turns: number;
  /** Called when any agent has done a turn, with how many turns all have done. */
  readonly onTurn: (done: number) => void;
}

const RETRY_MS = 100;
const MAX_REPEATS = 300;

/** Half of them name their session, half are known by what they say alone. */
export async function letAgentsWork(options: AgentsOptions): Promise<readonly FleetAgent[]> {
  const { url, agents, first = 0, turns, onTurn } = options;
  let done = 0;
  return Promise.all(
    Array.from({ length: agents }, async (_, index): Promise<FleetAgent> => {
      const name = `agent${String(first + index).padStart(3, "0")}`;
      const kind = SDK_KINDS[index % SDK_KINDS.length] ?? SDK_KINDS[0];
      if (kind === undefined) throw new Error("There is no SDK.");
      const isNamed = Math.floor(index / SDK_KINDS.length) % 2 === 0;
      const headers = isNamed ? { headers: { "x-palimpsest-session": name } } : {};
      const client = kind.open({ url: () => url, ...headers });
      client.say(openingOf(name));
      let [outputs, repeats] = [0, 0];
      for (let turn = 0; turn < turns; turn++) {
        const { callCount, again } = await askUntilAnswered(client, turn % 2 === 1);
        client.giveOutputs(Array.from({ length: callCount }, (_, call) => toolOutput(name, outputs + call)));
        outputs += callCount;
        repeats += again;
        done += 1;
        onTurn(done);
      }
      return { name, kind, client, outputs, repeats };
    }),
  );
}

function openingOf(name: string): string {
  return `I am ${name}. Read all files.`;
}

/** Each sends its whole history once more: what a gateway had not written when it was killed is there after that. */
export async function letAgentsFinish(agents: readonly FleetAgent[]): Promise<void> {
  await Promise.all(agents.map(({ client }) => askUntilAnswered(client, true)));
}

/** As agents do it: what breaks off is sent again. */
async function askUntilAnswered(client: SdkClient, isStreaming: boolean) {
  for (let again = 0; ; again++) {
    try {
      const { callCount } = await client.ask(isStreaming);
      return { callCount, again };
    } catch (error) {
      if (again === MAX_REPEATS) throw error;
    }
    await delay(RETRY_MS);
  }
}

const FOLD_ID = /fold ([\w-]{6,})/g;

/**
 * Requests of an agent that show what was sent before in other bytes although no new fold explains it. Within one fold, the prefix of each
 * request is what the one before showed.
 */
export function unstableRequests({ name, kind }: FleetAgent, { requests }: ModelServer): readonly string[] {
  const seen = new Set<string>();
  let before: readonly string[] = [];
  return requests.flatMap(({ rawBody }, index) => {
    if (!rawBody.includes(openingOf(name))) return [];
    const items = itemsOf(rawBody, kind);
    const folds = [...rawBody.matchAll(FOLD_ID)].map(([, id = ""]) => id);
    const isNewFold = folds.some((id) => !seen.has(id));
    for (const id of folds) seen.add(id);
    const shared = Math.min(before.length, items.length);
    const changed = items.slice(0, shared).findIndex((item, at) => item !== before[at]);
    before = items;
    return changed < 0 || isNewFold ? [] : [`${name}: request ${index} differs at item ${changed}`];
  });
}

function itemsOf(rawBody: string, { field }: SdkKind): readonly string[] {
  const items: unknown = Reflect.get(Object(parseJson(rawBody)), field);
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : [];
}
