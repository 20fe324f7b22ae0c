import { PRIORITIES } from "../layer-names.ts";
import type { Episode } from "../layered-state.ts";

/** How much of what happened is remembered. */
const MAX_EPISODES = 50;

/** Milestones that are worth telling, and worth keeping when other episodes go. */
export function isNotable(episode: Episode): boolean {
  return episode.type === "milestone" && PRIORITIES[episode.importance] > PRIORITIES.low;
}

/** At most {@link MAX_EPISODES} of them, in their order. */
export function keepEpisodes(episodes: readonly Episode[]): readonly Episode[] {
  const surplus = episodes.length - MAX_EPISODES;
  if (surplus <= 0) return episodes;
  const leavingFirst = episodes.toSorted(
    (one, other) => Number(isNotable(one)) - Number(isNotable(other)) || one.at - other.at,
  );
  const gone = new Set(leavingFirst.slice(0, surplus));
  return episodes.filter((episode) => !gone.has(episode));
}
