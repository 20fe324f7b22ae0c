import type { ImageBlock } from "../../../../core/message/message.ts";

/** What the agent writes during the story, and the picture it is shown. */
export const EDGE_TEST_FILE = `import { expect, test } from "vitest";
import { joinPages } from "../../src/tides/feed.ts";

test("counts the extreme on a page edge once", () => {
  const edge = { at: "2026-09-20T00:07:00Z", cm: 512, kind: "high" } as const;
  const page = { station: "tarnhaven", from: "", until: "" };
  expect(joinPages([{ ...page, extremes: [edge] }, { ...page, extremes: [edge] }])).toHaveLength(1);
});
`;

export const WINDOW_ROUTES_FILE = `import type { BerthStore, Clock, HarbourStore, WindowViewStore } from "../harbour/ports.ts";
import { type Router, json } from "../harbour/router.ts";
import { signed } from "../harbour/signed.ts";
import { fetchExtremes } from "../tides/feed.ts";
import { windowsFor } from "../tides/windows.ts";

const CLEARANCE_CM = 45;
const DAY_MS = 86_400_000;

/** The windows of one berth for a boat, as the wall screen shows them. */
export function windowRoutes(router: Router, { get, clock, harbours, berths, views }: WindowRoutesOptions): void {
  router.get("/v2/harbours/:id/windows", signed, async ({ params, query }) => {
    const harbour = await harbours.byId(params.id);
    const berth = await berths.byId(query.berth);
    if (harbour === undefined || berth === undefined) return json(404, { error: "unknown-harbour-or-berth" });
    const fromMs = clock.nowMs();
    const extremes = await fetchExtremes(get, { station: harbour.station, fromMs, untilMs: fromMs + 14 * DAY_MS });
    const need = { sillCm: berth.sillCm, draughtCm: Number(query.draught), clearanceCm: CLEARANCE_CM };
    await views.count(harbour.id, berth.id, need.draughtCm);
    return json(200, { windows: windowsFor(extremes, need).map(({ opensMs, closesMs, highestCm }) => ({ opens: opensMs, closes: closesMs, highestCm })) });
  });
}
`;

export const WINDOW_ROUTES_TEST_FILE = `import { expect, test } from "vitest";
import { ask, askUnsigned } from "./ask.ts";

test("answers with ISO times", async () => expect((await ask("B-21", 180)).windows[0].opens).toMatch(/^2026-.*Z$/));
test("wants a signed caller", async () => expect((await askUnsigned("B-21", 180)).status).toBe(401));
test("covers 14 days and no more", async () => expect((await ask("B-21", 0)).windows).toHaveLength(27));
`;

export const MIGRATION_FILE = `-- 0015: who looked at which windows, for the harbour master's yearly report
begin;
set local lock_timeout = '4s';
create table window_views (
  id bigint generated always as identity primary key,
  harbour_id text not null references harbours (id),
  berth_id text not null,
  draught_cm integer not null check (draught_cm between 0 and 900),
  seen_at timestamptz not null default now()
);
create index window_views_by_day on window_views (harbour_id, (date_trunc('day', seen_at at time zone 'utc')));
commit;
`;

export const CHANGELOG_FILE = `# 2.32.0

- 🐛 A high water on the edge of two feed pages is no longer lost: a booking is refused only when the water is too low.
- 🐛 A tide window ends at its end: two bookings may meet there.
- ✨ GET /v2/harbours/:id/windows shows the windows of the next 14 days (日本語・中文 included).
- 🕰️ Quiet hours follow the harbour's clock, whatever the host believes.
`;

export const WALL_SCREEN: ImageBlock = {
  type: "image",
  source: {
    type: "base64",
    media_type: "image/png",
    data: "iVBORw0KGgoAAAANSUhEUgAAABgAAAAMAQAAAABQS0DYAAAALklEQVR42mNgQAIHZBgZHtgAsR0zwwN7ZoYP9ewMP+r7GX7872f4+/8+w////wHhXxAYZBc2lQAAAABJRU5ErkJggg==",
  },
};
