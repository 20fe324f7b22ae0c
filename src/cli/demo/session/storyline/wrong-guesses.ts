import { FAILING, tideTests } from "../outputs/test-run.ts";
import { agent, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

const REMEMBER = "const known = entries.get(key);";
const FORGET = "const known = undefined; // experiment: never remember";
const STRICT = "if (!(highestCm >= neededCm)) continue;";
const LENIENT = "if (!(highestCm + 2 >= neededCm)) continue;";
const ONE_LINE_CHANGED = " src/tides/windows.ts | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)";

/** Zone, cache and rounding are suspected in turn; none of them is guilty. */
export function wrongGuesses({ edit, read, run, search }: Workspace): readonly Step[] {
  const runTides = (label: string, zone = "") =>
    run(`${zone}npx vitest run test/tides`, tideTests(label, "found", FAILING));
  const isClean = () => run("git status --short", "(no output)");
  return [
    think(`Guess one: the host's zone. If some code reads local hours, moving the host by half a day must change which tests
      fail. That is a cheap experiment and needs no edit.`),
    agent("Guess one, the time zone.", runTides("utc", "TZ=UTC "), runTides("auckland", "TZ=Pacific/Auckland ")),
    agent("The same four in both zones. Still: who reads local hours at all?", search("getHours("), read("clock")),
    agent(
      `Nine services ask the host for the hour. That breaks your rule about UTC, but it is another fault: none of them is on
      the path of a booking. I note it for later and look at one to be sure.`,
      read("pilot-service", "pilot-store"),
    ),
    agent("Guess two, the cache of b7f02e8.", read("window-cache"), search("windowCache(")),
    think(`The key holds station, day, sill, draught and clearance. It looks complete. A cheap way to be certain: never find
      anything in it and see whether the tests care. I expect no change.`),
    agent("The key looks complete. I switch the cache off for one run.", edit("window-cache", REMEMBER, FORGET)),
    agent("With every question computed anew:", runTides("uncached"), read("window-cache")),
    agent("No difference: the cache is innocent. I put it back.", edit("window-cache", FORGET, REMEMBER)),
    agent("And I make sure that nothing is left of the experiment.", read("window-cache"), isClean()),
    think(`Guess three: centimetres. The sill comes from the survey and the draught from two people; if one of them were
      metres somewhere, or rounded, a tide that just clears would be lost. The missing heights in the traces are far above
      the need though (440 and more against 415). I doubt it, but the stores are quick to read.`),
    agent("Guess three, rounding.", read("vessel-store", "vessel-service"), search("sillCm"), search("draughtCm")),
    agent(
      "Whole centimetres throughout. One experiment.",
      edit("windows", "if (highestCm < neededCm) continue;", LENIENT),
    ),
    agent("I quoted that line from memory. Reading it again.", read("windows")),
    agent("It is written the other way round. Now with 2 cm of grace.", edit("windows", STRICT, LENIENT)),
    agent("", runTides("lenient"), run("git diff --stat", ONE_LINE_CHANGED)),
    person(`Please stop there. I never want a tolerance in that comparison, not even for an afternoon: if we are wrong by
      two centimetres a boat sits on the sill until the next tide. Revert it and look for the real cause.`),
    agent(
      "Understood, no tolerance, also not as an experiment. It had not helped either.",
      edit("windows", LENIENT, STRICT),
    ),
    agent("The file is as I found it.", read("windows"), isClean()),
    agent(
      "The waiting list and the ferries also keep to windows. If they lose the same tides, the fault lies below all of them.",
      read("waitlist-entry-service", "waitlist-entry-store", "ferry-service", "ferry-store"),
    ),
    agent(`Where this stands: three guesses, three times wrong.

      1. Time zone: the same four tests fail in UTC and in Auckland.
      2. Cache: the same without it.
      3. Rounding: everything is whole centimetres, and the lost tides are well above the need.

      What I lack is a real refusal with its numbers. Is there a log of a day on which it happened?`),
    person(`There is: logs/kittiwake-2026-09-13.log, last Sunday, debug level because Torvald forgot to turn it down again.
      It is long. The complaint came from Tarnhaven, a boat called Corncrake.`),
  ];
}
