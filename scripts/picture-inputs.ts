/** What docs/images/strata.png is drawn from, as one hash: two machines draw the same picture with other fonts, so its pixels cannot be compared. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Replayed } from "../src/cli/demo/replay.ts";
import { describeMessage } from "../src/core/strata/describe-message.ts";
import { runsWithin } from "../src/core/strata/strata-row.ts";
import { countMessageTokens } from "../src/core/tokens/count-messages.ts";
import { strataOf } from "../src/engine/session/requests/session-strata.ts";

const SOURCES = resolve(import.meta.dirname, "../dashboard/src");
/** What draws Strata, and its style. */
const FOLDERS = ["strata", "style"];

/** The rows and columns of the session, and the sources that draw them. Ids of folds are left out: they differ from run to run. */
export async function pictureInputs({ session }: Pick<Replayed, "session">): Promise<string> {
  const { rows, requests } = await strataOf(session);
  const drawn = {
    rows: rows.map((row) => [
      describeMessage(row.message),
      countMessageTokens(row.message),
      runsWithin(row, 0, requests.length).map(([first, last, state]) => [first, last, state]),
    ]),
    columns: requests.map(({ promptTokens, foldIds }) => [promptTokens, foldIds.length]),
  };
  const hash = createHash("sha256").update(JSON.stringify(drawn));
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(SOURCES, folder)).toSorted()) {
      if (!name.endsWith(".test.ts")) hash.update(name).update(readFileSync(join(SOURCES, folder, name)));
    }
  }
  return hash.digest("hex");
}
