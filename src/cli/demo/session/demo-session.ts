import type { Message } from "../../../core/message/message.ts";
import { projectFiles } from "./project/files.ts";
import { record } from "./script.ts";
import { audit } from "./storyline/audit.ts";
import { cause } from "./storyline/cause.ts";
import { goal } from "./storyline/goal.ts";
import { preview } from "./storyline/preview.ts";
import { release } from "./storyline/release.ts";
import { wrongGuesses } from "./storyline/wrong-guesses.ts";
import { openWorkspace } from "./workspace.ts";

/** The chapters in order: each continues with the files as the one before left them. */
const CHAPTERS = [goal, wrongGuesses, cause, preview, audit, release];

/** A long, invented coding session (over 150,000 tokens): the same messages on every call. */
export function demoSession(): readonly Message[] {
  const workspace = openWorkspace(projectFiles());
  return record(CHAPTERS.flatMap((chapter) => chapter(workspace)));
}
