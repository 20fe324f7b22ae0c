import { minifiedPage } from "../outputs/long-lines.ts";
import { allTests } from "../outputs/test-run.ts";
import { agent, type Call, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

const REFUSAL = "import { refuse }";

/** Nine services learn to ask the harbour for the hour; the page turns out to be right already. */
export function audit({ commit, edit, read, run, search }: Workspace): readonly Step[] {
  const both = (desk: string): readonly Call[] => read(`${desk}-store`, `${desk}-service`);
  const askHarbour = (desk: string, instant: string): readonly Call[] => [
    edit(`${desk}-service`, `new Date(${instant}).getHours()`, `harbourHour(${instant})`),
    edit(`${desk}-service`, REFUSAL, `import { harbourHour } from "../harbour/clock.ts";\n${REFUSAL}`),
  ];
  return [
    agent("The list, fresh from the code.", search("getHours("), search("harbourHour("), read("clock")),
    agent("Three at a time. Moorings, notices and cranes:", both("mooring"), both("notice"), both("crane")),
    think(`All three use the hour only to decide whether somebody is woken. No state depends on it, so the change is safe.
      The crane's rule about dusk is not in the code at all; that is worth a word to the person, but not a change.`),
    agent(
      "The hour only decides about waking people, so the change is safe in all three.",
      askHarbour("mooring", "mooring.servicedAt"),
      askHarbour("notice", "notice.validFrom"),
      askHarbour("crane", "crane.bookedUntil"),
    ),
    agent("Lockers, lamps and dredging next.", both("locker"), both("lamp"), both("dredging")),
    agent(
      "The same shape, the same change.",
      askHarbour("locker", "locker.endsAt"),
      askHarbour("lamp", "lamp.checkedAt"),
      askHarbour("dredging", "dredging.startedAt"),
    ),
    agent(
      "The till reads the fuel sales: its routes too.",
      both("fuel-sale"),
      both("customs-check"),
      read("fuel-sale-routes"),
    ),
    agent(
      "No field of an answer depends on the hour.",
      askHarbour("fuel-sale", "fuelSale.soldAt"),
      askHarbour("customs-check", "customsCheck.openedAt"),
      askHarbour("pilot", "pilot.onCallFrom"),
    ),
    person(`About the fuel sales: you may change the hour, but if any field of the answer changes its name the till stops,
      and then the fishermen ring me.`),
    agent(
      "Noted: no route is touched. I read all nine again.",
      read("mooring-service", "notice-service", "crane-service"),
    ),
    agent("", read("locker-service", "lamp-service", "dredging-service")),
    agent("", read("fuel-sale-service", "customs-check-service", "pilot-service", "fuel-sale-routes")),
    agent("Does anybody still ask the host?", search("getHours("), run("npm run lint", "Found 0 errors. ✨")),
    agent(
      "The suite in a far zone, because that is what this change is about.",
      run("TZ=Pacific/Auckland npm test", allTests("far zone", "previewed")),
    ),
    agent(
      "Green at the other end of the world. One place is left where local time may live: what does the built page do?",
      run("grep -n toLocaleTimeString public/app.min.js", `1:${minifiedPage(260)}`),
    ),
    think(`The page formats with the browser's own zone, in one function, clk. That is the edge, where local time is
      allowed. The wall screen of a sister harbour would show its own zone: correct there too. Nothing to change.`),
    agent(
      "One function, clk, formats for the reader: that is the edge you allowed. I leave the page alone and commit.",
      commit(
        "2b8d5f6",
        "🕰️ Ask the harbour for the hour, not the host",
        "9 files changed, 18 insertions(+), 9 deletions(-)",
      ),
    ),
    agent(`All nine services ask the harbour now.

      - Only the hour was replaced; no state, route or field name changed.
      - The suite is green in Auckland as well.
      - The rule that no lift starts near dusk is written above the crane service, but nothing enforces it. I left it.`),
    person(`Leave the crane, Ines enforces that rule by shouting. Before the release I would like a second look at
      everything that writes money or moves tugs, only reading. Anything odd, tell me, change nothing.`),
  ];
}
