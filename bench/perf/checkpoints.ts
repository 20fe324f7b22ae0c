/** What keeping a folder's files costs: the first time, where nothing changed, and where one file did. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workspaceCheckpoints } from "palimpsest/checkpoints";

const SIZES = [100, 2_000, 20_000];
const RUNS = 7;
const FILE_BYTES = 4_000;

export async function benchCheckpoints(): Promise<void> {
  console.log(`\nCheckpoints of files of ${FILE_BYTES} bytes, times in ms, median of ${RUNS} but for the first`);
  console.log(row("files", "first", "nothing changed", "one changed", "bytes on disk"));
  for (const files of SIZES) console.log(row(String(files), ...(await measure(files))));
}

async function measure(files: number): Promise<readonly string[]> {
  const top = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  try {
    const workspace = join(top, "files");
    fill(workspace, files);
    const checkpoints = workspaceCheckpoints({ workspace, storageFolder: join(top, "storage") });
    const first = await timed(() => checkpoints.save());
    const [unchanged, changed]: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run++) {
      unchanged.push(await timed(() => checkpoints.save()));
      appendFileSync(join(workspace, "folder-0", "file-0.ts"), `run ${run}\n`);
      changed.push(await timed(() => checkpoints.save()));
    }
    const { bytes } = await checkpoints.diskUse();
    return [first, median(unchanged), median(changed), bytes].map((value) => String(Math.round(value)));
  } finally {
    rmSync(top, { recursive: true });
  }
}

/** Fifty files to a folder, no two alike. */
function fill(workspace: string, files: number): void {
  for (let file = 0; file < files; file++) {
    const folder = join(workspace, `folder-${Math.floor(file / 50)}`);
    mkdirSync(folder, { recursive: true });
    const line = `export const value${file} = compute(${file * 31}, "${file}");\n`;
    writeFileSync(join(folder, `file-${file}.ts`), line.repeat(Math.ceil(FILE_BYTES / line.length)));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(16)).join("");
}
