import { type Sample, writeNumber } from "./metrics-text.ts";

export interface Histogram {
  observe(value: number): void;
  samples(): readonly Sample[];
}

/** Counts values by the buckets with these upper bounds, which increase. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = [...bounds, Number.POSITIVE_INFINITY].map((bound) => ({ bound, count: 0 }));
  let sum = 0;
  return {
    observe: (value) => {
      const bucket = counts.find(({ bound }) => value <= bound);
      if (bucket === undefined) return;
      bucket.count += 1;
      sum += value;
    },
    samples: () => {
      let total = 0;
      const buckets = counts.map(({ bound, count }) => {
        total += count;
        return { suffix: "_bucket", labels: { le: writeNumber(bound) }, value: total };
      });
      return [...buckets, { suffix: "_sum", value: sum }, { suffix: "_count", value: total }];
    },
  };
}
