import { type Random, seededRandom } from "../random.ts";
import { capitalized, type Entity, separated } from "./entities.ts";

/** The rules of an entity. */
export function serviceFile(entity: Entity): string {
  const { name, fields, verbs, rule } = entity;
  const random = seededRandom(`service ${name}`);
  const type = capitalized(name);
  const file = separated(name, "-");
  const limits = fields.filter((field) => field.kind === "whole").map((field) => limit(field.name, name, random));
  const hours = quietHours(entity, random);
  const clock = hours.some((code) => code.includes("harbourHour("))
    ? `import { harbourHour } from "../harbour/clock.ts";\n`
    : "";
  return `${clock}import { refuse } from "../harbour/refusal.ts";
import type { Journal } from "../harbour/journal.ts";
import type { ${type}, ${name}Store } from "./${file}-store.ts";

/** What the ${file} desk may do. ${rule} */
export interface ${type}Service {
${verbs.map((verb) => `  ${verb}(id: string, by: string): Promise<${type}>;`).join("\n")}
}

${[...limits, ...hours].join("\n\n")}

export function ${name}Service(store: ReturnType<typeof ${name}Store>, journal: Journal): ${type}Service {
  const required = async (id: string): Promise<${type}> => {
    const ${name} = await store.byId(id);
    if (${name} === undefined) throw refuse("${file}-unknown", { id });
    return ${name};
  };
  return {
${verbs.map((_, index) => deed(entity, index, random)).join("\n")}
  };
}
`;
}

/** Where there are three states, the hour is the host's: the fault that the story's audit finds. */
function quietHours({ name, fields, states }: Entity, random: Random): readonly string[] {
  const at = fields.find((field) => field.kind === "instant");
  if (at === undefined) return [];
  const instant = `${name}.${at.name}`;
  const hour = states.length === 3 ? `new Date(${instant}).getHours()` : `harbourHour(${instant})`;
  const [evening, morning] = [random.integer(21, 23), random.integer(5, 7)];
  return [
    `/** Nobody is woken for this between ${evening}:00 and ${morning}:00. */
export function isQuiet${capitalized(name)}Hour(${name}: Pick<${capitalized(name)}, "${at.name}">): boolean {
  const hour = ${hour};
  return hour >= ${evening} || hour < ${morning};
}`,
  ];
}

function deed({ name, fields, states, verbs }: Entity, index: number, random: Random): string {
  const file = separated(name, "-");
  const verb = verbs[index];
  const [from = "", to = ""] = [states[index], states[(index + 1) % states.length]];
  const measured = fields.filter((field) => field.kind === "whole");
  const check = measured.slice(index % measured.length).slice(0, 1);
  return `    async ${verb}(id, by) {
      const ${name} = await required(id);
      if (${name}.state !== "${from}") throw refuse("${file}-not-${from}", { id, state: ${name}.state });
${check.map((field) => `      check${capitalized(field.name)}(${name});\n`).join("")}      await store.mark${capitalized(to)}(id, "${verb} by " + by);
      journal.write({ kind: "${file}.${verb}", id, by, weight: ${random.integer(1, 9)} });
      return { ...${name}, state: "${to}" };
    },`;
}

function limit(field: string, name: string, random: Random): string {
  const constant = separated(field, "_").toUpperCase();
  return `export const MOST_${constant} = ${random.integer(2, 60) * 10};
function check${capitalized(field)}(${name}: ${capitalized(name)}): void {
  if (${name}.${field} < 0 || ${name}.${field} > MOST_${constant}) {
    throw refuse("${separated(name, "-")}-${separated(field, "-")}", { got: ${name}.${field}, most: MOST_${constant} });
  }
}`;
}
