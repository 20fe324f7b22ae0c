import assert from "node:assert/strict";
import { type JsonSlice, sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { RawRequest, WireAdapter, WireRequest } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** What the contract of adapters needs to know of a wire: how its requests and replies look. */
export interface AdapterFixtures {
  /** Of a request for a reply, without the query. */
  readonly path: string;
  /**
   * A body, to be written as JSON: a task of the user; then for each step a word of the model with one call, and the call's result of
   * `output`; then a last word of the user, behind one of the model where the wire demands that. Other fields than the conversation, also some that the adapter does not know, should be in it.
   */
  body(steps: readonly ContractStep[]): object;
  /** Bodies that say the same in other words: another order of keys, marks that moved, a block for a string. */
  readonly sameBodies?: readonly ((steps: readonly ContractStep[]) => object)[];
  /** Requests that hold no conversation of this wire. */
  readonly strangers: readonly RawRequest[];
  /** The name of the field that holds the reply's allowance. @default the API has none, or none that counts */
  readonly allowance?: string;
  /** Replies, whole and streamed, with what they report. */
  readonly replies: readonly ContractReply[];
  /** What a server that is as strict as the real one has against a body; undefined where it takes it. */
  refusalOf(path: string, body: string): Promise<string | undefined>;
}

export interface ContractStep {
  /** Tells its call from others. */
  readonly id: string;
  readonly path: string;
  readonly output: string;
}

export interface ContractReply {
  readonly text: string;
  readonly usage: ReportedUsage;
}

/** One promise of the adapters' contract: `run` throws where it is broken. */
export interface AdapterContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface ContractContext {
  readonly adapter: WireAdapter;
  readonly fixtures: AdapterFixtures;
}

/** Every second step reads the same file again. */
export function stepsOf(count: number): readonly ContractStep[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `call-${index}-of-the-contract`,
    path: `file-${index - (index % 2)}.ts`,
    output: `Line of file ${index - (index % 2)}, é "quoted" \\ 漢字.\n`.repeat(30),
  }));
}

export function bodyText({ fixtures }: ContractContext, count: number, indent?: number): string {
  return JSON.stringify(fixtures.body(stepsOf(count)), null, indent);
}

export function readBody({ adapter, fixtures }: ContractContext, body: string): WireRequest {
  const request = adapter.readRequest({ path: fixtures.path, body });
  assert(request !== undefined, `${adapter.name} reads no conversation in ${body.slice(0, 200)}`);
  return request;
}

/** Reads a body as a gateway does: its value is known, and its text is only made of the items that are needed. */
export function readInParts({ adapter, fixtures }: ContractContext, body: string): WireRequest {
  const list = itemSlices(adapter, body);
  const raw: RawRequest = {
    path: fixtures.path,
    body,
    value: tryParseJson(body),
    sparseBody: (isNeeded) => sparseText(body, list, isNeeded),
  };
  const request = adapter.readRequest(raw);
  assert(request !== undefined, `${adapter.name} reads no conversation where the value of the body is known`);
  return request;
}

/** The items of the conversation as they stand in a body. */
export function itemTexts(adapter: WireAdapter, body: string): readonly string[] {
  return itemSlices(adapter, body).map(({ start, end }) => body.slice(start, end));
}

/** What stands before the first item, and behind the last one. */
export function surroundings(adapter: WireAdapter, body: string): readonly string[] {
  const items = itemSlices(adapter, body);
  return [body.slice(0, items.at(0)?.start), body.slice(items.at(-1)?.end)];
}

function itemSlices(adapter: WireAdapter, body: string): readonly JsonSlice[] {
  const lists = adapter.listPaths.flatMap((path) => sliceListAt(body, path)?.items ?? []);
  assert(lists.length > 0, `none of ${adapter.name}'s listPaths leads to a list that is not empty`);
  return lists;
}

function sparseText(body: string, items: readonly JsonSlice[], isNeeded: (item: number) => boolean): string {
  let text = body.slice(0, items.at(0)?.start);
  for (const [index, { start, end }] of items.entries()) {
    const keepsGap = index > 0 && isNeeded(index) && isNeeded(index - 1);
    if (index > 0) text += keepsGap ? body.slice(items[index - 1]?.end, start) : ",";
    text += isNeeded(index) ? body.slice(start, end) : "0";
  }
  return text + body.slice(items.at(-1)?.end);
}
