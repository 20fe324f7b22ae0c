/** The result of an export, as the SDK's exporters report it: code 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Item> {
  export(item: Item, onResult: (result: ExportResult) => void): void;
}

/** Called with the URL and the error of each export that failed. */
export type Complain = (url: string, error: unknown) => void;

/** Logs the first failed export, and ignores all later ones. */
export function complainOnce(log: ((line: string) => void) | undefined): Complain {
  let hasComplained = false;
  return (url, error) => {
    if (hasComplained) return;
    hasComplained = true;
    // only the origin: a URL may hold a password before the host, and a key after it
    log?.(`Telemetry does not reach ${new URL(url).origin} (${reasonOf(error)}). This is said once.`);
  };
}

/** An exporter's `export` that reports failures to `onFailure` only: the SDK would report each of them to the process's global logger. */
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

/** The reason of a failure, without the collector's answer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "for an unknown reason";
  if ("code" in error && typeof error.code === "number") return `HTTP ${error.code}`;
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
