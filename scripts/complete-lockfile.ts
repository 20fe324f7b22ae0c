/**
 * Adds to package-lock.json the platform packages that it lacks: `npx node scripts/complete-lockfile.ts`, after `npm install`.
 *
 * A registry mirror may not serve the binaries of every platform. npm then leaves them out of the lockfile, and `npm ci`
 * refuses that lockfile everywhere. Their versions are fixed by the package that wants them, and the rest follows from
 * their names; only their checksums are missing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const C_LIBRARIES = { gnu: "glibc", musl: "musl" } as const;

const path = resolve(import.meta.dirname, "../package-lock.json");
const lockfile: Lockfile = JSON.parse(readFileSync(path, "utf8"));
for (const { optionalDependencies, dev } of Object.values(lockfile.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    if (!/^\d/.test(version)) continue; // a range: npm resolves it
    lockfile.packages[`node_modules/${name}`] ??= {
      version,
      ...(dev ? { dev } : {}),
      optional: true,
      ...platformOf(name),
    };
  }
}
const sorted = Object.entries(lockfile.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(path, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);

/** What the name of a platform package says about where it runs, such as `cli-linux-x64-musl`. */
function platformOf(name: string): object {
  const words = name.split(/[-/]/);
  const find = (known: readonly string[]) => known.filter((each) => words.includes(each));
  const libraries = Object.entries(C_LIBRARIES).filter(([word]) => words.includes(word) && words.includes("linux"));
  return {
    ...entry("cpu", find(PROCESSORS)),
    ...entry(
      "libc",
      libraries.map(([, library]) => library),
    ),
    ...entry("os", find(SYSTEMS)),
  };
}

function entry(key: string, values: readonly string[]): object {
  return values.length === 0 ? {} : { [key]: values };
}
