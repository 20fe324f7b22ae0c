import { useEffect, useMemo, useState } from "preact/hooks";
import { type Api, sessionPath } from "../api/client.ts";
import { loadFrom } from "../api/load-strata.ts";
import type { Message } from "../api/types.ts";
import { strataSummary } from "../model/strata-captions.ts";
import type { Cell, ShownRow } from "../model/strata-cells.ts";
import { type Density, densityFor } from "../model/strata-viewport.ts";
import { useGateway } from "../parts/gateway-context.ts";
import { blockToggle } from "../parts/message-view.tsx";
import { Failure } from "../parts/small-parts.tsx";
import { messageOf, onChange } from "../parts/use-resource.ts";
import { StrataGrid } from "../strata/strata-grid.tsx";
import { StrataExplained, StrataLegend } from "../strata/strata-legend.tsx";
import { createStrataSource, type StrataSource } from "../strata/strata-source.ts";
import { MessagePanel } from "./message-panel.tsx";

interface StrataProps {
  readonly sessionId: string;
  /** A message to begin with: its id, or # and its place. */
  readonly at: string | undefined;
}

/** Which message was part of which request, and how. */
export function StrataScreen({ sessionId, at }: StrataProps) {
  const { api, live } = useGateway();
  const { source, revision, failure } = useSource(api, sessionId);
  const [chosen, setDensity] = useState<Density>();
  const [focused, setFocused] = useState<Cell>({ row: 0, column: 0 });
  const [opened, setOpened] = useState<ShownRow>();

  useEffect(() => onChange(live, sessionId, () => void source.refresh()), [live, sessionId, source]);
  useEffect(() => {
    let isOver = false;
    void startCell(api, { sessionId, at, source }).then((cell) => {
      if (isOver || cell === undefined) return;
      setFocused(cell);
      if (at === undefined) return;
      setOpened(source.row(cell.row, cell.column));
    });
    return () => {
      isOver = true;
    };
  }, [api, sessionId, at, source]);

  const { rows, columns } = source.totals();
  const density = chosen ?? densityFor(source.totals());
  const open = (cell: Cell) => setOpened(source.row(cell.row, cell.column));
  return (
    <section class="card" aria-label="Strata">
      {rows > 0 && <p class="summary">{strataSummary(source.messages(), source.newest())}</p>}
      <StrataLegend />
      {failure !== undefined && <Failure message={failure} />}
      {revision > 0 && rows === 0 ? (
        <p class="muted">Nothing was said in this session yet.</p>
      ) : (
        <StrataGrid
          source={source}
          revision={revision}
          density={density}
          focused={{ row: Math.min(focused.row, Math.max(0, rows - 1)), column: Math.min(focused.column, columns - 1) }}
          onFocus={setFocused}
          onOpen={open}
          onDensity={setDensity}
        />
      )}
      <StrataExplained />
      {opened !== undefined && (
        <MessagePanel
          key={`${opened.index} ${opened.block}`}
          sessionId={sessionId}
          row={source.row(source.rowOf(opened.index), columns - 1) ?? opened}
          block={opened.block}
          blocks={blockToggle(source, opened)}
          folds={source.folds()}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  );
}

function useSource(api: Api, sessionId: string) {
  const [revision, setRevision] = useState(0);
  const [failure, setFailure] = useState<string>();
  const source = useMemo(
    () =>
      createStrataSource(loadFrom(api, sessionId), (error) => {
        setFailure(error === undefined ? undefined : messageOf(error));
        setRevision((count) => count + 1);
      }),
    [api, sessionId],
  );
  return { source, revision, failure };
}

interface Start extends StrataProps {
  readonly source: StrataSource;
}

/** The message that the address names; otherwise the newest one. */
async function startCell(api: Api, { sessionId, at, source }: Start): Promise<Cell | undefined> {
  await source.refresh();
  const { rows, columns } = source.totals();
  const newest = { row: Math.max(0, rows - 1), column: columns - 1 };
  if (at === undefined) return newest;
  try {
    const message = await api.get<Message & { readonly row?: number }>(
      sessionPath(sessionId, `/messages/${encodeURIComponent(at)}`),
    );
    const row = message.row ?? message.index;
    if (row === undefined) return newest;
    const place = source.rowOf(row);
    source.show({ firstRow: place, endRow: place + 1, firstColumn: newest.column, endColumn: columns });
    await source.refresh();
    return { row: place, column: newest.column };
  } catch {
    return newest;
  }
}
