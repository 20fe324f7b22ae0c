import { allTests } from "../outputs/test-run.ts";
import { CHANGELOG_FILE } from "../project/added-files.ts";
import { agent, person, type Step, think } from "../script.ts";
import type { Workspace } from "../workspace.ts";

/** A reading round that changes nothing, the release notes, and the last green run. */
export function release({ commit, list, read, run, search, write }: Workspace): readonly Step[] {
  return [
    agent("Reading only. Money first.", read("invoice-service", "invoice-store", "invoice-routes")),
    think(`Invoices: issue wants an open one, remind wants a paid one, settle a disputed one. It reads like a list of verbs
      that was zipped with a list of states. Odd, but money is not mine to change, and there is someone to ask first.`),
    agent(
      "Something odd about reminders, which I only note. The tugs:",
      read("tug-service", "tug-store", "tug-routes"),
    ),
    agent(
      "The rest of what moves on the water.",
      read("ferry-routes", "ferry-service", "vessel-routes", "waitlist-entry-routes"),
    ),
    agent("Is each refusal known to the page?", search("throw refuse(", "src"), search(".refused", "src/i18n/ja.json")),
    agent("The tide files a last time, as they go out.", read("windows", "feed", "interpolate", "window-cache")),
    agent(`Nothing was changed. Two things look odd:

      1. invoice-service: remind insists on a paid invoice. I would expect an open one. This needs the person you named.
      2. tug-service: refuel is only possible during a refit, so an idle tug with an empty tank cannot be filled.

      Shall I prepare the release?`),
    person(`The tug is on purpose, the pump is in the dry dock. The invoice is not; I will talk to her. Prepare the release,
      but do not tag it. 谢谢,辛苦了!🫶🏽`),
    agent(
      "The notes, and what is new in the tree.",
      write("CHANGELOG.md", CHANGELOG_FILE),
      list("src/windows"),
      list("test"),
    ),
    agent("The last full run before the release.", run("npm test", allTests("release", "previewed"))),
    agent("", commit("d90c4e3", "📝 Write the notes for 2.32.0", "1 file changed, 6 insertions(+)")),
    agent(`Ready, not tagged. Five commits, each green:

      - the lost tide on the page edge (the fault you came with)
      - windows that end at their end
      - the preview, with its migration 0015
      - the harbour's hour in nine services
      - the notes

      Open, for people and not for me: the invoice reminder, and the dusk rule of the crane.`),
    person(`Wonderful. One last thing for the handover: in two sentences, why were the bookings refused, and how do we know
      it will not come back?`),
    agent(`Neighbouring pages of the tide feed share an extreme, and the search for the height sometimes divided by the zero
      time between the two copies, so a good tide became NaN and was skipped. The copy is now dropped where pages are joined,
      a test holds that, and heightAt throws where it would once have been silent.`),
  ];
}
