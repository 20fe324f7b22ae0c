/** Memory that requests share: what one of them takes is not there for the others until it is given back. */
export interface ByteBudget {
  readonly maxBytes: number;
  lease(): ByteLease;
}

/** What one request has taken of a budget. */
export interface ByteLease {
  /** False, and nothing is taken, where so much is not left. */
  take(bytes: number): boolean;
  /** Gives everything back; nothing can be taken any more. */
  dispose(): void;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let left = maxBytes;
  return {
    maxBytes,
    lease: () => {
      let taken = 0;
      let isDisposed = false;
      return {
        take: (bytes) => {
          if (isDisposed || bytes > left) return false;
          left -= bytes;
          taken += bytes;
          return true;
        },
        dispose: () => {
          isDisposed = true;
          left += taken;
          taken = 0;
        },
      };
    },
  };
}
