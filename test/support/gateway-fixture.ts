/** Requests of which some messages must be folded, and others must reach the provider as they are. */
import type { SdkKind } from "./gateway-client.ts";
import { toolOutput } from "./gateway-script.ts";

/** An item of a conversation as it is on the wire. */
export type Item = Readonly<Record<string, unknown>>;

export interface WireFixture {
  readonly name: string;
  readonly wire: FixtureWire;
  /** The newest part of the conversation. */
  readonly items: readonly Item[];
  /** Fields of the body that take the place of the usual ones; undefined leaves one out. */
  readonly fields?: Item;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FixtureWire {
  readonly path: string;
  readonly field: SdkKind["field"];
  readonly headers: Readonly<Record<string, string>>;
  /** The body but for its conversation. */
  readonly fields: Item;
  readonly question: Item;
  /** One call and what it gave. */
  turn(index: number, output: string): readonly Item[];
}

/** A body with long work before the fixture, which must be folded, and so many turns after it. */
export function fixtureBody({ wire, items, fields = {} }: WireFixture, turnsAfter: number): string {
  const work = Array.from({ length: 18 }, (_, index) => wire.turn(index, toolOutput("work", index))).flat();
  const after = Array.from({ length: turnsAfter }, (_, index) => wire.turn(100 + index, "nothing new"));
  const conversation = [wire.question, ...work, ...items, ...after.flat()];
  // Indented: whatever is written anew would look different.
  return JSON.stringify({ ...wire.fields, [wire.field]: conversation, ...fields }, undefined, 1);
}

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
export const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
