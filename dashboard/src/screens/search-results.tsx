import type { SearchHit } from "../api/types.ts";
import { counted } from "../model/format.ts";
import { sessionHash } from "../model/route.ts";
import { oneLine, textPart } from "../model/safe-text.ts";
import { Loaded } from "../parts/small-parts.tsx";
import { useResource } from "../parts/use-resource.ts";

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
              <Hit key={`${hit.sessionId} ${hit.messageId} ${hit.text}`} hit={hit} />
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }) {
  const place = hit.messageId ?? (hit.messageIndex === undefined ? undefined : `#${hit.messageIndex}`);
  return (
    <article class="hit">
      <p>
        <a href={sessionHash(hit.sessionId, "strata", place)}>{oneLine(hit.sessionId, 50)}</a>{" "}
        <span class="tag">{hit.toolName === undefined ? hit.kind : `${hit.kind}: ${oneLine(hit.toolName, 40)}`}</span>{" "}
        {hit.isHidden === true && <span class="tag">hidden now</span>}{" "}
        {hit.isRewound === true && <span class="tag">rewound</span>}
      </p>
      <pre class="excerpt" dir="ltr">
        {textPart(hit.text, 600).text}
      </pre>
    </article>
  );
}
