import assert from "node:assert/strict";
import { type JsonSlice, sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { RawRequest, WireAdapter, WireRequest } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** Requests and replies of a wire, for the contract of adapters. */
export interface AdapterFixtures {
  /** The path of a request for a reply, without the query. */
  readonly path: string;
  /**
   * A body, to be written as JSON: a task of the user; then for each step a text of the model with one call, and the call's result
   * `output`; then a last text of the user, behind one of the model where the wire demands that. The body should have other fields than the
   * conversation, too, some of them unknown to the adapter.
   */
  body(steps: readonly ContractStep[]): object;
  /** Bodies with the same meaning in another form: another order of keys, other cache breakpoints, a block in place of a string. */
  readonly sameBodies?: readonly ((steps: readonly ContractStep[]) => object)[];
  /** Requests without a conversation of this wire. */
  readonly strangers: readonly RawRequest[];
  /** The name of the field with the limit of the reply. @default the API has none, or ignores it */
  readonly allowance?: string;
  /** Replies, whole and streamed, with the usage that they report. */
  readonly replies: readonly ContractReply[];
  /** Why a server that is as strict as the real one refuses a body; undefined where it accepts it. */
  refusalOf(path: string, body: string): Promise<string | undefined>;
}

export interface ContractStep {
  /** Unique among the steps; the id of its call. */
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

/** Steps in which every second one reads the file of the step before again. */
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

/** Reads a body as a gateway does: with its parsed value, and with only the needed items in its text. */
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

/** The texts of the conversation's items in a body. */
export function itemTexts(adapter: WireAdapter, body: string): readonly string[] {
  return itemSlices(adapter, body).map(({ start, end }) => body.slice(start, end));
}

/** The text of a body before the first item, and behind the last one. */
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
