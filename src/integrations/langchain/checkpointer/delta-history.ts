import type { LangGraphChannelHistory, LangGraphConfig, LangGraphTuple, LangGraphWrite } from "./checkpointer-types.ts";

/**
 * What was written to channels that keep only their changes: for each, all writes since the nearest checkpoint before this one that holds its
 * value, the oldest first, and that value as `seed`.
 */
export async function channelHistories(
  getTuple: (config: LangGraphConfig) => Promise<LangGraphTuple | undefined>,
  config: LangGraphConfig,
  channels: readonly string[],
): Promise<Record<string, LangGraphChannelHistory>> {
  const histories: Record<string, LangGraphChannelHistory> = Object.fromEntries(
    channels.map((channel) => [channel, { writes: [] }]),
  );
  const open = new Map(Object.entries(histories));
  let before = open.size === 0 ? undefined : (await getTuple(config))?.parentConfig;
  while (before !== undefined && open.size > 0) {
    const tuple = await getTuple(before);
    for (const [channel, history] of open) {
      history.writes.unshift(...writesTo(channel, tuple));
      if (tuple === undefined || !Object.hasOwn(tuple.checkpoint.channel_values, channel)) continue;
      history.seed = tuple.checkpoint.channel_values[channel];
      open.delete(channel);
    }
    before = tuple?.parentConfig;
  }
  return histories;
}

/** Tasks that ran at the same time count in the order of their ids, whichever was done first. */
function writesTo(channel: string, tuple: LangGraphTuple | undefined): readonly LangGraphWrite[] {
  const writes = (tuple?.pendingWrites ?? []).filter(([, name]) => name === channel);
  return writes.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
