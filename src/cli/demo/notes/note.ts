/** One thing that the scripted model remembers, on one line. */
export interface Note {
  readonly label: Label;
  readonly text: string;
}

/** What kinds of notes there are, and how many of each are kept: the newest, but of the goal the first. */
export const LABELS = {
  Goal: 1,
  Person: 60,
  Decided: 24,
  READ: 24,
  MODIFIED: 24,
  CREATED: 16,
  Ran: 16,
  Error: 12,
  Said: 3,
  Stopped: 1,
} as const satisfies Record<string, number>;

export type Label = keyof typeof LABELS;

/** A note as a line of a reply. */
export function noteLine({ label, text }: Note): string {
  return `- ${label}: ${text}`;
}

const NOTE_LINE = /^- ([A-Za-z]+): (.+)$/;

/** The notes that an earlier reply holds, whatever its form. */
export function notesIn(reply: string): readonly Note[] {
  return reply.split("\n").flatMap((line) => {
    const [, label = "", text = ""] = NOTE_LINE.exec(line) ?? [];
    return isLabel(label) ? [{ label, text }] : [];
  });
}

/** Each note once, and no more of a kind than its share of {@link LABELS}: the newest of them. */
export function keepNotes(notes: readonly Note[], share = 1): readonly Note[] {
  const unique = new Map<string, Note>();
  for (const note of notes) {
    const key = keyOf(note);
    const known = unique.get(key);
    // What was said stays where it was said first; a file or a command counts as of its last use.
    if (SAID_ONCE.has(note.label) && known !== undefined) continue;
    unique.delete(key);
    // A file that was changed stays one, also when it is read again.
    unique.set(key, known !== undefined && note.label === "READ" ? known : note);
  }
  return labels().flatMap((label) => {
    const same = [...unique.values()].filter((note) => note.label === label);
    return label === "Goal" ? same.slice(0, 1) : same.slice(-Math.ceil(LABELS[label] * share));
  });
}

const SAID_ONCE: ReadonlySet<Label> = new Set(["Goal", "Person", "Decided"]);

function labels(): readonly Label[] {
  return Object.keys(LABELS).filter(isLabel);
}

/** One note per file. */
function keyOf({ label, text }: Note): string {
  const isFile = label === "READ" || label === "MODIFIED" || label === "CREATED";
  return isFile ? `file ${text.split(": ")[0]}` : `${label} ${text}`;
}

function isLabel(label: string): label is Label {
  return Object.hasOwn(LABELS, label);
}
