import { DOCUMENT_FILES } from "./document-files.ts";
import { ENTITIES, separated } from "./entities.ts";
import { routesFile } from "./routes-file.ts";
import { serviceFile } from "./service-file.ts";
import { storeFile } from "./store-file.ts";
import { TIDE_FILES } from "./tide-files.ts";

/** Listed, but never opened in the story. */
const UNOPENED = [
  ...["0001_harbours", "0005_pilots", "0009_dues", "0014_state_reason"].map((name) => `db/migrations/${name}.sql`),
  ...[
    "db/sql",
    "db/columns",
    "harbour/journal",
    "harbour/ports",
    "harbour/refusal",
    "harbour/router",
    "harbour/signed",
  ].map((name) => `src/${name}.ts`),
  ...["docs/handbook.md", "logs/kittiwake-2026-09-13.log", "page/build.ts", "public/app.min.js", "src/server.ts"],
];

/** Kittiwake as the agent finds it: path → content. */
export function projectFiles(): ReadonlyMap<string, string> {
  const generated = ENTITIES.flatMap((entity) => {
    const desk = separated(entity.name, "-");
    const parts = { store: storeFile(entity), service: serviceFile(entity), routes: routesFile(entity) };
    return Object.entries(parts).flatMap(([part, content]) => [
      [`src/${desk}/${desk}-${part}.ts`, content] as const,
      [`test/${desk}/${desk}-${part}.test.ts`, ""] as const,
    ]);
  });
  const unopened = UNOPENED.map((path) => [path, ""] as const);
  return new Map([...Object.entries(DOCUMENT_FILES), ...Object.entries(TIDE_FILES), ...generated, ...unopened]);
}
