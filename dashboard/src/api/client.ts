/** Talks to the gateway that serves this page, and to nothing else. */

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Api {
  get<Value>(path: string, signal?: AbortSignal): Promise<Value>;
  send<Value>(method: "POST" | "DELETE", path: string, body: unknown): Promise<Value>;
  /** For what is not JSON: the stream of events, bodies of requests, exports. */
  open(path: string, init?: RequestInit): Promise<Response>;
}

const SENDABLE = /^[\x21-\x7e]+$/;

const NO_ANSWER = "The gateway does not answer. It may have been stopped; the page goes on as soon as it is back.";

const TOKEN_KEY = "palimpsest-token";

/** The token that the person gave, until the tab is closed. */
export const savedToken = {
  get: (): string | undefined => sessionStorage.getItem(TOKEN_KEY) ?? undefined,
  set: (token: string): void => sessionStorage.setItem(TOKEN_KEY, token),
};

/** Paths are relative to the page: a token in its address, or the prefix of a proxy, stays in front of them. */
export function createApi(onUnauthorized: () => void, ask: Fetch = (path, init) => fetch(path, init)): Api {
  async function open(path: string, init: RequestInit = {}): Promise<Response> {
    const token = savedToken.get();
    if (token !== undefined && !SENDABLE.test(token)) {
      onUnauthorized();
      throw new ApiError(401, "unauthorized", "No gateway has such a token: a header cannot hold it.");
    }
    const headers = { ...init.headers, ...(token === undefined ? {} : { "x-palimpsest-token": token }) };
    const response = await ask(`api${path}`, { ...init, headers, cache: "no-store" }).catch((error: unknown) => {
      // What a browser says of it is for programmers. A request that this page gave up is not a failure.
      throw init.signal?.aborted === true ? error : new ApiError(0, "no-answer", NO_ANSWER);
    });
    if (response.ok) return response;
    if (response.status === 401) onUnauthorized();
    throw await errorOf(response);
  }
  return {
    open,
    get: async (path, signal) => (await open(path, signal === undefined ? {} : { signal })).json(),
    send: async (method, path, body) => {
      const headers = { "content-type": "application/json" };
      return (await open(path, { method, headers, body: JSON.stringify(body) })).json();
    },
  };
}

async function errorOf(response: Response): Promise<ApiError> {
  const body: { readonly error?: { readonly code?: string; readonly message?: string } } = await response
    .json()
    .catch(() => ({}));
  const { code = "unknown", message = `The gateway answered ${response.status}.` } = body.error ?? {};
  return new ApiError(response.status, code, message);
}

/** The path of a session's resource. */
export function sessionPath(id: string, rest = ""): string {
  return `/sessions/${encodeURIComponent(id)}${rest}`;
}
