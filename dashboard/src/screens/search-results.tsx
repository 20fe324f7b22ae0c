import type { SearchHit } from "../api/types.ts";
import { counted } from "../model/format.ts";
import { markWords } from "../model/marked-words.ts";
import { sessionHash } from "../model/route.ts";
import { oneLine, textPart } from "../model/safe-text.ts";
import { kindName } from "../model/strata-cells.ts";
import { Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";

const MOST_CHARACTERS = 600;

interface Found {
  readonly hits: readonly SearchHit[];
}

/** What was said anywhere, hidden or not, with the way to its place. */
export function SearchResults({ query }: { readonly query: string }) {
  const { resource } = useResource<Found>(`/search?q=${encodeURIComponent(query)}&limit=30`);
  return (
    <section class="card" aria-label="What was found">
      <Loaded of={resource}>
        {({ hits }) => (
          <>
            <h2>{hits.length === 0 ? "Nothing found" : `${counted(hits.length, "place")} found`}</h2>
            {hits.length === 0 && (
              <p class="muted">No message has these words, hidden or not. Whole words are looked for, in any order.</p>
            )}
            {hits.map((hit) => (
              <Hit key={`${hit.sessionId} ${hit.messageId} ${hit.text}`} hit={hit} query={query} />
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

const STATE_TAGS: Readonly<Record<NonNullable<SearchHit["state"]>, string | undefined>> = {
  shown: undefined,
  "stand-in": "a stand-in is sent for it",
  hidden: "hidden now",
  rewound: "rewound",
};

function Hit({ hit, query }: { readonly hit: SearchHit; readonly query: string }) {
  const state = hit.state && STATE_TAGS[hit.state];
  return (
    <article class="hit">
      <p>
        <a href={sessionHash(hit.sessionId, "strata", hit.messageId)}>
          {oneLine(hit.sessionId, 50)}
          {hit.row === undefined ? "" : `, message ${hit.row + 1}`}
        </a>{" "}
        <span class="tag">{kindName(hit)}</span> {state !== undefined && <span class="tag">{state}</span>}
      </p>
      <pre class="excerpt" dir="ltr">
        {markWords(textPart(hit.text, MOST_CHARACTERS).text, query).map(({ text, isMarked }, index) =>
          isMarked ? <mark key={index}>{text}</mark> : text,
        )}
      </pre>
    </article>
  );
}
