/** Sends the same requests to every target in turns, so that whatever else the machine does hits all of them alike. */
import { setImmediate } from "node:timers/promises";
import type { Exchange } from "./client.ts";
import { type AgentRequest, type Conversation, startConversation } from "./conversations.ts";
import type { Target } from "./targets.ts";
import type { Workload } from "./workloads.ts";

export interface Measured {
  readonly target: Target;
  readonly latenciesMs: readonly number[];
  /** Until the first bytes of a reply's body were there. */
  readonly firstByteMs: readonly number[];
  /** What the target's process used of a processor for each request, with all that it did after its reply; undefined where it has none. */
  readonly cpuMicroseconds: number | undefined;
  readonly requestsPerSecond: number;
  readonly shares: Shares;
}

/** Of the requests, as shares of all. */
export interface Shares {
  /** Those that reached the upstream with as many bytes as they had, and with fewer. */
  readonly sameLength: number;
  readonly shorter: number;
  /** Those with folds in them, and those that have others than the one before. */
  readonly folded: number;
  readonly newlyFolded: number;
}

/** What each lane sends, one after the other. */
type Lane = readonly AgentRequest[];

export async function measure(workload: Workload, targets: readonly Target[]): Promise<readonly Measured[]> {
  const { rounds, concurrency } = workload;
  const lanes = await openLanes(workload, targets);
  const tallies = new Map(targets.map((target) => [target, createTally()]));
  let end = Number.POSITIVE_INFINITY;
  const isOver = (round: number) => round >= rounds.most || (round >= rounds.least && performance.now() > end);
  for (let round = -rounds.warmUps; !isOver(round); round++) {
    if (round === 0) end = performance.now() + rounds.seconds * 1_000;
    const requests = await lanes.next();
    for (const target of rotated(targets, round + rounds.warmUps)) {
      const sent = target.isCold ? unknownRequests(workload, concurrency) : requests;
      const run = await runCounted(target, sent);
      if (round >= 0) tallies.get(target)?.add(run, sent.flat());
    }
  }
  return targets.map((target) => ({ target, ...(tallies.get(target) ?? createTally()).result() }));
}

interface Run {
  readonly seconds: number;
  readonly exchanges: readonly Exchange[];
}

interface CountedRun extends Run {
  /** Of all its requests; undefined where nothing but the upstream works for them. */
  readonly cpuMicroseconds: number | undefined;
}

/** Counts the target's processor time until nothing is left to do: what it still does after its last reply must not slow the next target. */
async function runCounted(target: Target, lanes: readonly Lane[]): Promise<CountedRun> {
  const before = await target.child?.cpuMicroseconds();
  const run = await runLanes(target, lanes);
  const after = await target.child?.cpuMicroseconds();
  // To be asked takes time as well: what it takes when nothing was sent is no request's.
  const again = await target.child?.cpuMicroseconds();
  await setImmediate();
  if (before === undefined || after === undefined || again === undefined) return { ...run, cpuMicroseconds: undefined };
  return { ...run, cpuMicroseconds: after - before - (again - after) };
}

async function runLanes({ client }: Target, lanes: readonly Lane[]): Promise<Run> {
  const start = performance.now();
  const exchanges = await Promise.all(
    lanes.map(async (lane) => {
      const own: Exchange[] = [];
      for (const request of lane) own.push(await client.send(request));
      return own;
    }),
  );
  return { seconds: (performance.now() - start) / 1_000, exchanges: exchanges.flat() };
}

interface Lanes {
  next(): Promise<readonly Lane[]>;
}

/** Conversations that go on from round to round; where one has gone on for long, another one begins, known to every gateway. */
async function openLanes(
  { size, concurrency, steps, isStreaming }: Workload,
  targets: readonly Target[],
): Promise<Lanes> {
  const own: { conversation: Conversation; sent: number }[] = [];
  const keepers = targets.filter(({ isOurs, isCold }) => isOurs && !isCold);

  async function begin(): Promise<Conversation> {
    const conversation = startConversation({ ...size.conversation, isStreaming });
    const opening = conversation.next();
    await Promise.all(keepers.map(({ client }) => client.send(opening)));
    return conversation;
  }

  return {
    next: async () => {
      for (let index = 0; index < concurrency; index++) {
        const lane = own[index];
        if (lane === undefined || lane.sent + steps > size.requestsPerConversation) {
          own[index] = { conversation: await begin(), sent: 0 };
        }
      }
      for (const { child } of keepers) await child?.ask("settle");
      return own.map((lane) => {
        lane.sent += steps;
        return Array.from({ length: steps }, () => lane.conversation.next());
      });
    },
  };
}

/** Conversations that nobody has seen before, as when an agent is pointed at a gateway in the middle of one. */
function unknownRequests({ size, isStreaming }: Workload, count: number): readonly Lane[] {
  return Array.from({ length: count }, () => [startConversation({ ...size.conversation, isStreaming }).next()]);
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

function createTally() {
  const latenciesMs: number[] = [];
  const firstByteMs: number[] = [];
  const counts = { sameLength: 0, shorter: 0, folded: 0, newlyFolded: 0 };
  const foldsBySession = new Map<string, number>();
  let seconds = 0;
  let cpuMicroseconds: number | undefined;

  function note({ sentBytes, folds }: Exchange, { sessionId, body }: AgentRequest): void {
    const foldsBefore = foldsBySession.get(sessionId) ?? folds;
    foldsBySession.set(sessionId, folds);
    if (sentBytes === body.length) counts.sameLength += 1;
    if (sentBytes < body.length) counts.shorter += 1;
    if (folds > 0) counts.folded += 1;
    if (folds !== foldsBefore) counts.newlyFolded += 1;
  }

  return {
    add: (run: CountedRun, requests: readonly AgentRequest[]) => {
      seconds += run.seconds;
      if (run.cpuMicroseconds !== undefined) cpuMicroseconds = (cpuMicroseconds ?? 0) + run.cpuMicroseconds;
      for (const [index, exchange] of run.exchanges.entries()) {
        latenciesMs.push(exchange.milliseconds);
        firstByteMs.push(exchange.firstByteMs);
        const request = requests[index];
        if (request !== undefined) note(exchange, request);
      }
    },
    result: () => {
      const all = latenciesMs.length;
      const { sameLength, shorter, folded, newlyFolded } = counts;
      const shares: Shares = {
        sameLength: sameLength / all,
        shorter: shorter / all,
        folded: folded / all,
        newlyFolded: newlyFolded / all,
      };
      const cpu = cpuMicroseconds === undefined ? undefined : cpuMicroseconds / all;
      return { latenciesMs, firstByteMs, cpuMicroseconds: cpu, requestsPerSecond: all / seconds, shares };
    },
  };
}
