import { capitalized, type Entity, plural, separated } from "./entities.ts";

const TYPES: Readonly<Record<string, string>> = { text: "string", whole: "number", flag: "boolean", instant: "number" };

/** The SQL side of an entity. */
export function storeFile({ name, fields, states, rule }: Entity): string {
  const type = capitalized(name);
  const table = plural(separated(name, "_"));
  const columns = fields.map((field) => `"${separated(field.name, "_")}"`).join(", ");
  const finders = fields.filter((field) => field.kind === "text" || field.kind === "whole");
  return `import { type Database, sql } from "../db/sql.ts";
import { flag, instant, text, whole } from "../db/columns.ts";
import type { Clock } from "../harbour/clock.ts";

export type ${type}State = ${states.map((state) => `"${state}"`).join(" | ")};

/** ${rule} */
export interface ${type} {
  readonly id: string;
${fields.map((field) => `  readonly ${field.name}: ${TYPES[field.kind]};`).join("\n")}
  readonly state: ${type}State;
}

const COLUMNS = sql.columns("${table}", ["id", ${columns}, "state", "changed_at"]);

export function parse${type}(row: Readonly<Record<string, unknown>>): ${type} {
  return {
    id: text(row.id, "${table}.id"),
${fields.map(({ name: field, kind }) => `    ${field}: ${kind}(row.${separated(field, "_")}, "${table}.${separated(field, "_")}"),`).join("\n")}
    state: text(row.state, "${table}.state") as ${type}State,
  };
}

export function ${name}Store(database: Database, clock: Clock) {
  return {
    async byId(id: string): Promise<${type} | undefined> {
      const [row] = await database.query(sql\`select \${COLUMNS} from ${table} where id = \${id}\`);
      return row && parse${type}(row);
    },
${finders.map((field) => finder({ type, table, field: field.name, fieldType: TYPES[field.kind] ?? "" })).join("\n")}
    async insert(${name}: ${type}): Promise<void> {
      await database.run(sql\`insert into ${table} (id, ${fields.map((field) => separated(field.name, "_")).join(", ")}, state, changed_at)
        values (\${${name}.id}, ${fields.map((field) => `\${${name}.${field.name}}`).join(", ")}, '${states[0]}', \${clock.nowMs()})\`);
    },
${states.map((state) => transition(table, state)).join("\n")}
  };
}
`;
}

function finder(of: { type: string; table: string; field: string; fieldType: string }): string {
  const column = separated(of.field, "_");
  return `    async by${capitalized(of.field)}(${of.field}: ${of.fieldType}): Promise<readonly ${of.type}[]> {
      const rows = await database.query(sql\`select \${COLUMNS} from ${of.table} where ${column} = \${${of.field}} order by changed_at desc\`);
      return rows.map(parse${of.type});
    },`;
}

function transition(table: string, state: string): string {
  return `    async mark${capitalized(state)}(id: string, reason: string): Promise<boolean> {
      const changed = await database.run(sql\`update ${table} set state = '${state}', reason = \${reason}, changed_at = \${clock.nowMs()}
        where id = \${id} and state <> '${state}'\`);
      return changed === 1;
    },`;
}
