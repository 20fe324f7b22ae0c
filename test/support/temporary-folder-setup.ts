import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A run's temporary files have one folder, which goes with the run. What a test that ended well has left there is named: a test removes
 * what it made.
 */
export default function setUpTemporaryFolder(): () => void {
  const outer = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-run-"));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => name.startsWith("palimpsest-"));
    if (left.length > 0) console.warn(`Left behind by tests in the temporary folder: ${left.join(", ")}`);
    rmSync(folder, { recursive: true, force: true });
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
  };
}
