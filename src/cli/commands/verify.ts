import { PalimpsestError } from "../../core/errors.ts";
import { type SessionVerification, verifySession } from "../../engine/session/verify-session.ts";
import { findSessionId, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "verify",
  about: `Proves that a stored session is exactly what was written to it: every record has its checksum and its
place in the hash chain, and without its folds the log is what was said. Nothing is changed. The exit
code is 1 if something is damaged.`,
  positionals: ["session"],
  options: {
    head: {
      value: "HASH",
      about: "a chain head that verify printed earlier: the session must\nstill begin with its records",
    },
    json: {
      about:
        "print { session, type, messages, records, links, head } for machines;\ntype is intact, or damaged with a problem",
    },
    store: STORE_OPTION,
  },
};

/** A SHA-256 in base64url. Anything else is a slip of the person, and no damage. */
const CHAIN_HEAD = /^[\w-]{43}$/;

type Verified = SessionVerification & { readonly session: string };

/** `palimpsest verify <session>`; returns the exit code, 1 if the session is damaged. */
export async function verify(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { session: named = "", head } = given.values;
  if (head !== undefined && !CHAIN_HEAD.test(head)) {
    const form = "the 43 characters behind chain head, as verify prints them";
    throw wrongUsage(COMMAND, `--head is ${JSON.stringify(head)}; it must be ${form}.`);
  }
  const isJson = given.flags.has("json");
  const verified = await withProgress({ notes, isJson }, (progress) =>
    withSessions(COMMAND, given, { use: ({ store }) => verifyNamed(store, { named, head }, progress) }),
  );
  output.write(isJson ? jsonText(verified) : renderVerified(verified));
  return verified.type === "intact" ? 0 : 1;
}

interface SessionToVerify {
  readonly named: string;
  readonly head: string | undefined;
}

/** Verifies the session's records without opening the session, which fails for a damaged one. */
async function verifyNamed(
  store: OpenSessions["store"],
  { named, head }: SessionToVerify,
  { show }: Progress,
): Promise<Verified> {
  let id = named;
  try {
    id = await findSessionId(store, named);
    const session = await store.open(id);
    const read = (records: number) =>
      show(`verifying record ${formatCount(records)} of ${formatCount(session.version)}`);
    return { session: id, ...(await verifySession({ store, session, read }, { head })) };
  } catch (error) {
    // The session's own entry is damaged: none of its records can be trusted.
    if (!(error instanceof PalimpsestError) || error.code !== "store-damaged") throw error;
    return { session: id, type: "damaged", records: 0, problem: error.message };
  }
}

function renderVerified(verified: Verified): string {
  const title = oneLine(verified.session);
  if (verified.type === "damaged") {
    return `${title}: damaged\n  ${countOf(verified.records, "record")} checked before\n  ${oneLine(verified.problem)}\n`;
  }
  const { messages, records, links, head } = verified;
  const lines = [
    `${title}: intact`,
    `  messages    ${formatCount(messages)}, without folds the same as they were said`,
    `  records     ${formatCount(records)} checked, ${formatCount(links)} of them linked to those before`,
    `  chain head  ${head === "" ? "–" : head}`,
  ];
  return `${lines.join("\n")}\n`;
}
