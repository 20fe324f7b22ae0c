import type { JsonObject } from "../json.ts";

/** The id of a response. The ids of items are derived from it, and tell which reasoning led to an item. */
export function responseId(serial: number): string {
  return `resp_${padded(serial)}`;
}

export function reasoningId(serial: number): string {
  return `rs_${padded(serial)}`;
}

export interface OutputPlace {
  readonly serial: number;
  readonly index: number;
  /** Whether the item before it is reasoning. */
  readonly isLed: boolean;
}

export function itemId(prefix: "msg" | "fc" | "ctc", { serial, index, isLed }: OutputPlace): string {
  return `${prefix}_${padded(serial)}_${isLed ? "rs" : index}`;
}

const OWN_REASONING = /^rs_\d{6,}$/;
const LED_ITEM = /^(?:msg|fc|ctc)_(\d{6,})_rs$/;

/** The id of the reasoning that led to an item of this server; undefined for other items. */
export function leaderOf({ id }: JsonObject): string | undefined {
  const [, serial] = LED_ITEM.exec(String(id)) ?? [];
  return serial === undefined ? undefined : `rs_${serial}`;
}

/** Whether an item may follow this reasoning. Ids of other servers, and items without an id, cannot be checked. */
export function mayFollow({ id }: JsonObject, next: JsonObject): boolean {
  return next.id === undefined || !OWN_REASONING.test(String(id)) || leaderOf(next) === id;
}

const OWN_SEAL = "palimpsest seal of ";

/** The encrypted reasoning for clients that keep the conversation themselves. */
export function sealOf(id: string): string {
  return Buffer.from(OWN_SEAL + id).toString("base64");
}

/** Whether encrypted reasoning of this server has another id now; that of other servers cannot be checked. */
export function isForgedSeal({ id, encrypted_content: sealed }: JsonObject): boolean {
  if (typeof sealed !== "string" || typeof id !== "string") return false;
  return Buffer.from(sealed, "base64").toString("utf8").startsWith(OWN_SEAL) && sealed !== sealOf(id);
}

function padded(serial: number): string {
  return String(serial).padStart(6, "0");
}
