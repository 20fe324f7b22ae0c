/** What the API says was sent. */

export interface ShownRequest {
  readonly index: number;
  readonly at: number;
  readonly version: number;
  readonly foldIds: readonly string[];
  readonly shownFoldIds: readonly string[];
  readonly usage?: { readonly inputTokens: number };
  readonly body: {
    readonly isKept: boolean;
    readonly bytes?: number;
    readonly wire?: string;
    readonly reason?: string;
  };
}

/** The requests of a session, all pages of them. */
export async function listRequests(url: string, sessionId: string): Promise<readonly ShownRequest[]> {
  const requests: ShownRequest[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const path = `${url}/palimpsest/api/sessions/${encodeURIComponent(sessionId)}/requests?limit=7&after=${after}`;
    const page: { requests: readonly ShownRequest[]; nextAfter?: number } = JSON.parse(
      await (await fetch(path)).text(),
    );
    requests.push(...page.requests);
    after = page.nextAfter;
  }
  return requests;
}

/** A request as it is reproduced. */
export async function requestBody(url: string, sessionId: string, index: number, query = ""): Promise<string> {
  const session = encodeURIComponent(sessionId);
  const response = await fetch(`${url}/palimpsest/api/sessions/${session}/requests/${index}/body${query}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

/** All requests of all sessions, as they are reproduced. */
export async function allRequestBodies(url: string, sessionIds: readonly string[]): Promise<readonly string[]> {
  const bodies: { readonly at: number; readonly body: string }[] = [];
  for (const id of sessionIds) {
    for (const { index, at } of await listRequests(url, id))
      bodies.push({ at, body: await requestBody(url, id, index) });
  }
  return bodies.toSorted((one, other) => one.at - other.at).map(({ body }) => body);
}

/** What two requests share, as the API tells it. */
export async function compareRequests(url: string, sessionId: string, one: number, other: number): Promise<ShownDiff> {
  const session = encodeURIComponent(sessionId);
  const response = await fetch(`${url}/palimpsest/api/sessions/${session}/requests/${one}/diff/${other}`);
  return JSON.parse(await response.text());
}

export interface ShownDiff {
  readonly cause: string;
  readonly foldId?: string;
  readonly first?: { readonly where: string; readonly item?: number };
}
