import { describeValue } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import type { Configuration } from "./configuration.ts";
import { SETTING_CHECKS, type SettingCheck } from "./setting-checks.ts";

const CHECKS: ReadonlyMap<string, SettingCheck> = new Map(Object.entries(SETTING_CHECKS));

/** Throws "invalid-configuration", with one line for each fault in the value. */
export function assertConfiguration(name: string, value: unknown): asserts value is Configuration {
  const faults = faultsAt({ shown: name, path: "" }, value);
  if (faults.length > 0) throw new PalimpsestError("invalid-configuration", faults.join("\n"));
}

/** The path of a setting: as errors show it, and as the table of checks names it. */
interface Place {
  readonly shown: string;
  readonly path: string;
}

function faultsAt(place: Place, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const check = CHECKS.get(place.path);
  if (check !== undefined) return checkFaults(place, value, check);
  if (!isPlainObject(value)) return [mustBe(place, value, "a plain object")];
  const checkOfEach = CHECKS.get(`${place.path}.*`);
  return checkOfEach === undefined
    ? groupFaults(place, value)
    : Object.entries(value).flatMap(([name, inner]) => checkFaults(inside(place, name), inner, checkOfEach));
}

function checkFaults(place: Place, value: unknown, { isAllowed, allowed }: SettingCheck): readonly string[] {
  return isAllowed(value) ? [] : [mustBe(place, value, allowed)];
}

function groupFaults(place: Place, group: object): readonly string[] {
  const known = new Set(keysAt(place.path));
  const unknown = Object.keys(group).filter((key) => !known.has(key));
  return [
    ...unknown.map((key) => {
      return `${inside(place, key).shown} is not a setting; the nearest is ${nearestSetting(place.path, key)}.`;
    }),
    // Known keys are read even if they are inherited, so that every value that is used later is checked.
    ...[...known].flatMap((key) => faultsAt(inside(place, key), Reflect.get(group, key))),
  ];
}

/** The setting or group of settings whose name is nearest to an unknown key; among equally near ones, one of the key's own group. */
function nearestSetting(path: string, key: string): string | undefined {
  const known = [...new Set([...CHECKS.keys()].flatMap(pathsUpTo))];
  const isOwn = (candidate: string) => candidate.slice(0, Math.max(0, candidate.lastIndexOf("."))) === path;
  const ownFirst = [...known.filter(isOwn), ...known.filter((candidate) => !isOwn(candidate))];
  return nearestName(key, ownFirst, { nameOf: (candidate) => candidate.slice(candidate.lastIndexOf(".") + 1) });
}

/** `a.b.*` → a, a.b */
function pathsUpTo(setting: string): readonly string[] {
  const parts = setting.split(".").filter((part) => part !== "*");
  return parts.map((_, index) => parts.slice(0, index + 1).join("."));
}

/** The keys that the group at a path may have. */
function keysAt(path: string): readonly string[] {
  const prefix = path === "" ? "" : `${path}.`;
  return [...CHECKS.keys()].flatMap((setting) =>
    setting.startsWith(prefix) ? setting.slice(prefix.length).split(".", 1) : [],
  );
}

const PLAIN_KEY = /^[A-Za-z]\w{0,39}$/;

function inside({ shown, path }: Place, key: string): Place {
  return {
    shown: PLAIN_KEY.test(key) ? `${shown}.${key}` : `${shown}[${describeValue(key)}]`,
    path: path === "" ? key : `${path}.${key}`,
  };
}

function mustBe({ shown }: Place, value: unknown, allowed: string): string {
  return `${shown} is ${describeValue(value)}; it must be ${allowed}.`;
}

/** Whether a value is a plain object. Maps, dates and lists are not: their keys would be read as empty. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Each realm has its own Object.prototype; what they share is that it has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
