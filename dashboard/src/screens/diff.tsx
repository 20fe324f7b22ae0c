import { useState } from "preact/hooks";
import { sessionPath } from "../api/client.ts";
import type { RequestDiff, RequestPage } from "../api/types.ts";
import { predictedMissText, reportedMissText } from "../model/cache-miss.ts";
import { byteSize, percent, wholeNumber } from "../model/format.ts";
import { sessionHash } from "../model/route.ts";
import { visibleText } from "../model/safe-text.ts";
import { Explain, Loaded, TextBlock } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";

interface DiffProps {
  readonly sessionId: string;
  readonly at: string | undefined;
}

/** Any two requests: what they share, where they part, and who caused it. */
export function DiffScreen({ sessionId, at }: DiffProps) {
  const { resource } = useResource<RequestPage>(sessionPath(sessionId, "/requests?limit=1"), sessionId);
  return (
    <Loaded of={resource}>
      {({ total }) =>
        total < 2 ? (
          <p class="muted">There are two requests to compare as soon as the agent has asked twice.</p>
        ) : (
          <Compare key={at} sessionId={sessionId} total={total} chosen={chosenOf(at, total)} />
        )
      }
    </Loaded>
  );
}

/** "3-4" means the requests 3 and 4, counted from 1; the newest two where nothing is named. */
function chosenOf(at: string | undefined, total: number): readonly [number, number] {
  const [, a, b] = /^(\d+)-(\d+)$/.exec(at ?? "") ?? [];
  if (a === undefined || b === undefined) return [total - 2, total - 1];
  const within = (number: string) => Math.max(0, Math.min(total, Number(number)) - 1);
  return [within(a), within(b)];
}

interface CompareProps {
  readonly sessionId: string;
  readonly total: number;
  readonly chosen: readonly [number, number];
}

function Compare({ sessionId, total, chosen: [firstChosen, secondChosen] }: CompareProps) {
  const [first, setFirst] = useState(firstChosen);
  const [second, setSecond] = useState(secondChosen);
  const path = sessionPath(sessionId, `/requests/${first}/diff/${second}`);
  const { resource } = useResource<RequestDiff>(path, sessionId);
  return (
    <section class="card" aria-label="Two requests compared">
      <div class="row">
        <RequestNumber label="Compare request" value={first} total={total} onChange={setFirst} />
        <RequestNumber label="with request" value={second} total={total} onChange={setSecond} />
        <span class="muted">of {wholeNumber(total)}</span>
      </div>
      <Loaded of={resource}>{(diff) => <Difference diff={diff} sessionId={sessionId} />}</Loaded>
      <Explain title="Why compare?">
        Providers cache a request from its first byte up to the first one that differs from what they saw before.
        Everything behind that byte is paid in full. So the first difference is where money is lost, and it matters who
        made it.
      </Explain>
    </section>
  );
}

interface RequestNumberProps {
  readonly label: string;
  readonly value: number;
  readonly total: number;
  readonly onChange: (value: number) => void;
}

function RequestNumber({ label, value, total, onChange }: RequestNumberProps) {
  const change = (text: string) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= total) onChange(number - 1);
  };
  return (
    <label>
      {label}{" "}
      <input
        type="number"
        min={1}
        max={total}
        value={value + 1}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}

const CAUSES: Readonly<Record<RequestDiff["cause"], string>> = {
  agent: "the agent",
  us: "Palimpsest",
  provider: "the provider, which no longer had in its cache what both share",
  none: "nobody: the second only goes on where the first ends",
};

function Difference({ diff, sessionId }: { readonly diff: RequestDiff; readonly sessionId: string }) {
  const { first, bytes, sharedBytes, provider, diagnosis } = diff;
  const parting = first === undefined ? 0 : sharedLength(first.a, first.b);
  return (
    <>
      <p class="notice">{visibleText(diff.sentence)}</p>
      <div
        class="bar"
        role="img"
        aria-label={`${percent(sharedBytes / Math.max(1, bytes.b))} of the second request are shared`}
      >
        <span class="fill-cached" style={{ width: `${(100 * sharedBytes) / Math.max(1, bytes.b)}%` }} />
        <span class="fill-sent" style={{ width: `${100 - (100 * sharedBytes) / Math.max(1, bytes.b)}%` }} />
      </div>
      <ul class="legend inline">
        <li>
          <span class="swatch fill-cached" />
          the same in both, from the first byte
        </li>
        <li>
          <span class="swatch fill-sent" />
          new in request {diff.b + 1}
        </li>
      </ul>
      <table class="facts">
        <tbody>
          <tr>
            <th scope="row">shared from the start</th>
            <td>
              {byteSize(sharedBytes)} of {byteSize(bytes.b)}, about {wholeNumber(diff.sharedTokens)} tokens
            </td>
          </tr>
          <tr>
            <th scope="row">caused by</th>
            <td>{CAUSES[diff.cause]}</td>
          </tr>
          {provider !== undefined && (
            <tr>
              <th scope="row">the provider says</th>
              <td>
                {wholeNumber(provider.cacheReadTokens)} tokens came from its cache; about{" "}
                {wholeNumber(provider.expectedTokens)} were shared
              </td>
            </tr>
          )}
          {diagnosis?.provider !== undefined && (
            <tr>
              <th scope="row">its own reason</th>
              <td>{visibleText(reportedMissText(diagnosis.provider))}</td>
            </tr>
          )}
          {diagnosis !== undefined && (
            <tr>
              <th scope="row">our prediction</th>
              <td>{predictedMissText(diagnosis.predicted)}</td>
            </tr>
          )}
          {first !== undefined && (
            <tr>
              <th scope="row">first difference</th>
              <td>
                byte {wholeNumber(first.byte)}, {placeText(first)}{" "}
                {first.messageId !== undefined && (
                  <a href={sessionHash(sessionId, "strata", first.messageId)}>show it in Strata</a>
                )}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {first !== undefined && (
        <div class="beside">
          <div>
            <h2>Request {diff.a + 1}, around that byte</h2>
            <TextBlock
              text={first.a}
              label={`Request ${diff.a + 1} around the first difference`}
              markedFrom={parting}
            />
          </div>
          <div>
            <h2>Request {diff.b + 1}</h2>
            <TextBlock
              text={first.b}
              label={`Request ${diff.b + 1} around the first difference`}
              markedFrom={parting}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** How many characters two texts share from the start. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function placeText({ where, field, messageIndex }: NonNullable<RequestDiff["first"]>): string {
  if (where === "end") return "behind the end of the first request";
  if (where === "fields") return `in the field ${visibleText(field ?? "of the request")}`;
  return messageIndex === undefined ? "in a message" : `in message ${messageIndex + 1}`;
}
