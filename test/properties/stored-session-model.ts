/** A session as a list of moments: what it must be after each thing that was done to it. */
import { getEffectiveApiHistory } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";

/** What the session was at one version. */
export interface Moment {
  readonly log: readonly Message[];
  /** What was appended to get there, without what was rewound. */
  readonly said: readonly Message[];
  /** The versions at which the messages of `said` were appended; undefined where only the engine knows. */
  readonly saidAt: readonly (number | undefined)[];
  /** Where an undo leads. */
  readonly undoVersion: number | undefined;
}

export interface SessionModel {
  /** By version; those between two records of one operation may be missing. */
  readonly moments: ReadonlyMap<number, Moment>;
  readonly version: number;
}

const BEGINNING: Moment = { log: [], said: [], saidAt: [], undoVersion: undefined };
export const NEW_SESSION: SessionModel = { moments: new Map([[0, BEGINNING]]), version: 0 };

export function momentAt({ moments }: SessionModel, version: number): Moment {
  const moment = moments.get(version);
  if (moment === undefined) throw new Error(`The model has no version ${version}.`);
  return moment;
}

export function momentNow(model: SessionModel): Moment {
  return momentAt(model, model.version);
}

/** Each message is a record, and a moment of its own. */
export function afterAppend(model: SessionModel, messages: readonly Message[]): SessionModel {
  return messages.reduce((before, message) => {
    const version = before.version + 1;
    const { log, said, saidAt, undoVersion } = momentNow(before);
    const moment = { log: [...log, message], said: [...said, message], saidAt: [...saidAt, version], undoVersion };
    return withMoment(before, version, moment);
  }, model);
}

/** A jump to another moment; an undo also takes back that there was a rewind. */
export function afterRewind(model: SessionModel, toVersion: number, isUndo: boolean): SessionModel {
  const target = momentAt(model, toVersion);
  const undoVersion = isUndo ? target.undoVersion : model.version;
  const rewound = withMoment(model, model.version + 1, { ...target, undoVersion });
  return afterEvents(rewound, model.version + 2);
}

/** What is told is a record too, and changes nothing. */
export function afterEvents(model: SessionModel, version: number): SessionModel {
  let told = model;
  while (told.version < version) told = withMoment(told, told.version + 1, momentNow(told));
  return told;
}

/** The log has other folds, or marks. */
export function afterRewrite(model: SessionModel, version: number, change: Partial<Moment>): SessionModel {
  return withMoment(model, version, { ...momentNow(model), ...change });
}

/** A session that begins with this moment of another. */
export function branchedAt(model: SessionModel, from: number, version: number): SessionModel {
  const { log, said } = momentAt(model, from);
  const moment = { log, said, saidAt: said.map(() => undefined), undoVersion: undefined };
  return withMoment(NEW_SESSION, version, moment);
}

export function viewOf({ log }: Moment): readonly Message[] {
  return getEffectiveApiHistory(log);
}

function withMoment({ moments }: SessionModel, version: number, moment: Moment): SessionModel {
  return { moments: new Map([...moments, [version, moment]]), version };
}
