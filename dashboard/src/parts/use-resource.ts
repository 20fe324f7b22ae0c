import { useCallback, useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { useGateway } from "./gateway-context.ts";

/** Something that is asked for, and asked for again when it may have changed. */
export type Resource<Value> =
  | { readonly type: "loading" }
  | { readonly type: "loaded"; readonly value: Value }
  | { readonly type: "failed"; readonly message: string; readonly code: string };

export interface UsedResource<Value> {
  readonly resource: Resource<Value>;
  readonly reload: () => void;
}

/** Events come in bursts: one question answers all of them. */
const BURST_MS = 150;

/** Asks for a path of the API. `sessionId` names the session whose changes matter; undefined means any. */
export function useResource<Value>(path: string | undefined, sessionId?: string): UsedResource<Value> {
  const { api, live } = useGateway();
  const [resource, set] = useState<Resource<Value>>({ type: "loading" });
  const [asked, setAsked] = useState(0);
  const reload = useCallback(() => setAsked((count) => count + 1), []);

  useEffect(() => set({ type: "loading" }), [path]);
  useEffect(() => {
    if (path === undefined) return;
    const stopper = new AbortController();
    api.get<Value>(path, stopper.signal).then(
      (value) => set({ type: "loaded", value }),
      (error: unknown) => {
        if (!stopper.signal.aborted) set({ type: "failed", message: messageOf(error), code: codeOf(error) });
      },
    );
    return () => stopper.abort();
  }, [api, path, asked]);
  useEffect(() => onChange(live, sessionId, reload), [live, sessionId, reload]);
  return { resource, reload };
}

type Follow = ReturnType<typeof useGateway>["live"];

/** Calls back once for a burst of changes of a session. Returns what ends it. */
export function onChange(live: Follow, sessionId: string | undefined, changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = live.listen((activity) => {
    const isOther = sessionId !== undefined && activity !== undefined && activity.sessionId !== sessionId;
    if (isOther || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      changed();
    }, BURST_MS);
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}

function codeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : "unknown";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
