/** How an export ended, as the SDK's exporters say it: 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Item> {
  export(item: Item, onResult: (result: ExportResult) => void): void;
}

/** Called with the error of each export that could not be sent to a URL. */
export type Complain = (url: string, error: unknown) => void;

/** Says once that telemetry does not arrive, and is silent afterwards. */
export function complainOnce(log: ((line: string) => void) | undefined): Complain {
  let hasComplained = false;
  return (url, error) => {
    if (hasComplained) return;
    hasComplained = true;
    // the origin alone: what is before the host may be a password, and what is after it a key
    log?.(`Telemetry does not reach ${new URL(url).origin} (${reasonOf(error)}). This is said once.`);
  };
}

/** An exporter's `export` whose failures end here: the SDK would report each one to whatever logger the process has. */
export function quietExport<Item>(
  exporter: Exporter<Item>,
  onFailure: (error: unknown) => void,
): Exporter<Item>["export"] {
  return (item, onResult) =>
    exporter.export(item, (result) => {
      if (result.code !== 0) onFailure(result.error);
      onResult({ code: 0 });
    });
}

/** Never what the collector answered. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "for an unknown reason";
  if ("code" in error && typeof error.code === "number") return `HTTP ${error.code}`;
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
