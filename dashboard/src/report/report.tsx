import { useEffect, useMemo, useState } from "preact/hooks";
import type { ReportData, ReportMessage } from "../api/report-types.ts";
import { counted, wholeNumber } from "../model/format.ts";
import { reportBar, strataTile } from "../model/report.ts";
import { visibleText } from "../model/safe-text.ts";
import { type Cell, type ShownRow, STATE_MEANINGS, STATE_NAMES } from "../model/strata-cells.ts";
import { type Density, densityFor } from "../model/strata-viewport.ts";
import { type BlockToggle, blockToggle, MessageFrame, MessageParts, StandIns } from "../parts/message-view.tsx";
import { WindowBar } from "../parts/window-bar.tsx";
import { StrataGrid } from "../strata/strata-grid.tsx";
import { StrataExplained, StrataLegend } from "../strata/strata-legend.tsx";
import { createStrataSource } from "../strata/strata-source.ts";

/** A session file as a page of its own: nothing is asked, nothing can be changed. */
export function Report({ data }: { readonly data: ReportData }) {
  return (
    <>
      <header class="top">
        <span class="brand">Palimpsest</span>
        <span class="muted small">a report; {visibleText(data.format)}</span>
      </header>
      <main>
        <div class="title">
          <h1>{visibleText(data.name)}</h1>
          <span class="muted">
            {counted(data.messages, "message")}, {counted(data.modelCalls, "model call")}, {wholeNumber(data.tokens)}{" "}
            tokens
            {data.modelId === undefined ? "" : `, ${visibleText(data.modelId)}`}
          </span>
        </div>
        <section class="card" aria-label="What fills the session">
          <h2>What fills it</h2>
          <WindowBar segments={reportBar(data)} />
        </section>
        <ReportStrata data={data} />
      </main>
    </>
  );
}

function ReportStrata({ data }: { readonly data: ReportData }) {
  const [revision, setRevision] = useState(0);
  const source = useMemo(
    () =>
      createStrataSource(
        async (tile) => strataTile(data.strata, tile),
        () => setRevision((count) => count + 1),
      ),
    [data],
  );
  const [chosen, setDensity] = useState<Density>();
  const [focused, setFocused] = useState<Cell>({ row: 0, column: 0 });
  const [opened, setOpened] = useState<ShownRow>();
  useEffect(() => void source.refresh(), [source]);
  const totals = source.totals();
  const density = chosen ?? densityFor(totals);
  return (
    <section class="card" aria-label="Strata">
      <p class="summary">{windowText(data)}</p>
      <StrataLegend />
      <StrataGrid
        source={source}
        revision={revision}
        density={density}
        focused={{
          row: Math.min(focused.row, Math.max(0, totals.rows - 1)),
          column: Math.min(focused.column, totals.columns - 1),
        }}
        onFocus={setFocused}
        onOpen={({ row, column }) => setOpened(source.row(row, column))}
        onDensity={setDensity}
      />
      <StrataExplained />
      {opened !== undefined && (
        <ReadMessage
          key={`${opened.index} ${opened.block}`}
          row={source.row(source.rowOf(opened.index), totals.columns - 1) ?? opened}
          block={opened.block}
          blocks={blockToggle(source, opened)}
          data={data}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  );
}

function windowText({ outcome, contextWindow }: ReportData): string {
  const window = `a window of ${wholeNumber(contextWindow)} tokens`;
  if (outcome === "unchanged") return `All of it fits ${window}: the column right of the dotted line hides nothing.`;
  return `The column right of the dotted line shows what would be hidden for ${window}.`;
}

interface ReadMessageProps {
  readonly row: ShownRow;
  readonly block: number | undefined;
  readonly blocks: BlockToggle | undefined;
  readonly data: ReportData;
  readonly onClose: () => void;
}

function ReadMessage({ row, block, blocks, data, onClose }: ReadMessageProps) {
  const message: ReportMessage | undefined = data.content[row.index];
  const standIn = data.standIns.find(({ foldId }) => foldId !== undefined && foldId === row.nowFoldId);
  const isHidden = row.nowState === "hidden" && standIn !== undefined;
  const note =
    row.nowState === undefined || data.outcome === "unchanged"
      ? ""
      : `; would be ${STATE_NAMES[row.nowState]}: ${STATE_MEANINGS[row.nowState]}`;
  return (
    <MessageFrame row={row} blocks={blocks} note={note} onClose={onClose}>
      {message !== undefined && (
        <MessageParts message={message} sending="would be sent" isHidden={isHidden} block={block} />
      )}
      {isHidden && (
        <StandIns
          title="Would be sent in place of it and what is hidden with it"
          standIns={[standIn]}
          sending="would be sent"
        />
      )}
    </MessageFrame>
  );
}
