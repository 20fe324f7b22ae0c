import type { Store } from "../../src/index.ts";

/** What a test does around a store's calls; what it throws is what the caller gets. */
export interface Interception {
  readonly before?: (call: keyof Store) => unknown;
  readonly after?: (call: keyof Store) => unknown;
}

/** The same store, with something that happens around its calls. */
export function interceptStore(store: Store, { before, after }: Interception): Store {
  const around =
    <Values extends readonly unknown[], Value>(name: keyof Store, call: (...values: Values) => Promise<Value>) =>
    async (...values: Values) => {
      await before?.(name);
      const value = await call(...values);
      await after?.(name);
      return value;
    };
  return {
    open: around("open", store.open),
    find: around("find", store.find),
    list: around("list", store.list),
    delete: around("delete", store.delete),
    append: around("append", store.append),
    read: around("read", store.read),
    readBlobs: around("readBlobs", store.readBlobs),
    search: around("search", store.search),
    acquireLock: around("acquireLock", store.acquireLock),
    findLock: around("findLock", store.findLock),
    releaseLock: around("releaseLock", store.releaseLock),
    saveCheckpoint: around("saveCheckpoint", store.saveCheckpoint),
    listCheckpoints: around("listCheckpoints", store.listCheckpoints),
    deleteCheckpoint: around("deleteCheckpoint", store.deleteCheckpoint),
    ...(store.savedStates && {
      savedStates: {
        read: around("savedStates", store.savedStates.read),
        save: around("savedStates", store.savedStates.save),
      },
    }),
    close: around("close", store.close),
  };
}

/** A store that does something once, right before the next call of a kind. */
export function disturbStore(
  store: Store,
): Store & { disturbNext(call: keyof Store, disturb: () => Promise<unknown>): void } {
  const disturbances = new Map<keyof Store, () => Promise<unknown>>();
  const before = async (call: keyof Store) => {
    const disturb = disturbances.get(call);
    disturbances.delete(call);
    await disturb?.();
  };
  return { ...interceptStore(store, { before }), disturbNext: (call, disturb) => disturbances.set(call, disturb) };
}
