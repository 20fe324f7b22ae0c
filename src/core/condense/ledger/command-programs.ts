/** How much of a command is read: longer ones write files by here-documents, which are no commands. */
const MAX_CHARACTERS = 2_000;
/** Not the `&` of `2>&1` and `&>`. */
const STEP = /\|\||&&|(?<!>)&(?!>)|[;|\n]/;
const ASSIGNMENT = /^\w{1,60}=/;

/** Programs that set up the next one or only pass text on: a command is never run for their sake. */
const AROUND = new Set(
  "cd pushd popd export set source . true echo printf tail head grep tee sort uniq wc cut tr xargs sleep".split(" "),
);
/** Programs that run another one: the first word after them that is no flag and no verb names it. */
const RUNNERS = new Set(
  "sudo env time timeout nice npx bunx pnpx npm pnpm yarn bun deno uv poetry pipenv hatch mise just task rye nohup corepack".split(
    " ",
  ),
);
const VERBS = new Set("run exec x dlx tool".split(" "));
/** Flags of runners whose value is the next word. */
const TAKES_VALUE = /^(?:--filter|-F|-C|--cwd|--prefix|--dir|--workspace|-w|--package|-p|--directory)$/;
/** Programs whose first argument is a subcommand or a script, and is part of the name. */
const SUBCOMMANDS = new Set(
  "git gh go cargo docker kubectl make node python python3 ruby deno dotnet mvn gradle ./gradlew bundle php swift mix helm terraform aws gcloud".split(
    " ",
  ),
);

/**
 * The programs that a shell command is run for, such as `jest`, `go test` and `git commit`: without folders, runners (`npx`, `pnpm exec`)
 * and programs that only show output. Text between quotes is not read.
 */
export function programsOf(command: string): readonly string[] {
  const hereDocument = command.indexOf("<<");
  const head = command.slice(0, hereDocument < 0 ? MAX_CHARACTERS : Math.min(hereDocument, MAX_CHARACTERS));
  const programs = withoutQuotes(head).split(STEP).map(programOf);
  return [...new Set(programs.filter((program) => program !== ""))];
}

function programOf(step: string): string {
  const words = step.trim().split(/\s+/);
  let at = 0;
  let isRun = false;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isRun && TAKES_VALUE.test(word)) at += 1;
    else if (RUNNERS.has(word)) isRun = true;
    else if (!(ASSIGNMENT.test(word) || (isRun && (word.startsWith("-") || VERBS.has(word) || /^\d/.test(word)))))
      break;
  }
  const [first = "", ...rest] = words.slice(at);
  if (AROUND.has(first) || !/^[\w./@~:+-]{1,100}$/.test(first)) return "";
  const program = first.slice(first.lastIndexOf("/") + 1);
  if (!(SUBCOMMANDS.has(first) || SUBCOMMANDS.has(program))) return program;
  const isModule = rest[0] === "-m";
  const argument = isModule ? rest[1] : rest.find((word) => /^[\w./@:-]/.test(word) && !word.startsWith("-"));
  if (isModule) return argument ?? program;
  return argument === undefined ? program : `${program} ${argument}`;
}

/** A command without the text between quotes; an open quote reaches to the end. */
function withoutQuotes(command: string): string {
  let rest = "";
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    const character = command.charAt(at);
    if (character === "\\" && quote !== "'") at += 1;
    else if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else rest += character;
  }
  return rest;
}
