import { allTests, FAILING } from "../outputs/test-run.ts";
import { agent, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

const HISTORY = `e07b1d2 🚀 Release 2.31.4
3c9914a 🌐 Let the wall screen speak Japanese and Chinese
b7f02e8 ⚡️ Cache tide windows per berth and draught
91ad6c0 👩‍🔧 Give the crane desk its own journal kind
5d3e8f7 🐛 Stop charging the lifeboat for fuel 🛟
f41c2b9 ♻️ Read the tide feed by pages of seven days
0a86e35 🧑‍🤝‍🧑 Pair pilots and tugs by language
c2d7740 🗃️ Migration 0014: reason on every state change
88e1f6b 🏴‍☠️ Remove the April joke from the ferry board
47bb09d 📝 Write down how water is reckoned`;

/** The person says what is wrong and what must not happen; the agent looks around and reproduces it. */
export function goal({ list, read, run, search }: Workspace): readonly Step[] {
  return [
    person(`Kittiwake is our berth booking service for the five harbours of the Lantern Coast. Since the autumn tides came
      in, bookings for berths behind a sill are refused now and then: the quay staff see NoTideWindow although the water
      is plainly high enough. Please find the cause and fix it. After that, add a preview of the tide windows that the
      staff can look at.

      What I need you to respect:
      - no new runtime dependencies
      - never edit a migration that has shipped (0001 to 0014); add a new one
      - times are stored and compared in UTC, local time exists only at the edge of the page
      - the JSON field names under /v1 are a promise to the till of the fuel dock: leave them alone
      - tests green before each commit, one commit per idea, an emoji first in the subject as in the history

      Staging runs beside your checkout and listens on port 47113. Production is not reachable from there, on purpose.`),
    think(`The person describes an intermittent refusal. Before I form an opinion I want the layout, the words they use,
      and a failing run. The constraints matter more than speed: no dependencies, shipped migrations and /v1 are frozen.`),
    agent("I look around first and touch nothing until I see a refusal.", list("."), read("package.json", "README.md")),
    agent("The refusal has a name of its own. Who raises it?", search("NoTideWindow"), read("tides.md")),
    agent("Three small files decide everything here.", read("windows", "interpolate", "feed")),
    agent("Did anything change around the first complaints?", run("git log --oneline -10", HISTORY)),
    think(`Two suspects by date: f41c2b9 (pages of seven days) and b7f02e8 (the cache). Dates are only a hint. Run the whole
      suite first, so that I know what is red before I have changed a line.`),
    agent(
      "Two commits fall in that week. The whole suite, as it is:",
      run("npm test", allTests("first", "found", FAILING)),
    ),
    agent("Four red tests, all about weeks after the first. I look at what they claim.", read("windows.test")),
    agent("And at both desks that ask for windows.", read("booking-service", "berth-service", "berth-store")),
    agent(`I can reproduce it: 4 tests in test/tides/windows.test.ts fail, and each misses exactly one high water.

      - Week 1 is always right, later weeks lose a tide.
      - Nothing outside src/tides is red.
      - Suspects by date are the cache (b7f02e8) and the paging of the feed (f41c2b9), but I have proof of neither.

      Unless you object I go on with the time zone, the cache and the arithmetic, in that order, and change nothing for
      good until a test tells them apart.`),
    person(`Good, go on. Two things you cannot know. The clearance under the keel is 45 cm and not the 30 of the old
      spreadsheet, because the silt at Saltmarrow moves after every gale. And if you ever need to touch the export of
      invoices, ask Oddny Brask first; she reconciles it by hand.`),
  ];
}
