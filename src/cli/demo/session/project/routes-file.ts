import { capitalized, type Entity, plural, separated } from "./entities.ts";

/** The HTTP side of an entity. */
export function routesFile({ name, fields, verbs }: Entity): string {
  const file = separated(name, "-");
  return `import { type Router, json } from "../harbour/router.ts";
import { signed } from "../harbour/signed.ts";
import type { ${capitalized(name)}Service } from "./${file}-service.ts";

export function ${name}Routes(router: Router, service: ${capitalized(name)}Service): void {
${verbs
  .map(
    (verb) => `  router.post("/v2/${plural(file)}/:id/${verb}", signed, async ({ params, caller }) => {
    const ${name} = await service.${verb}(params.id, caller.name);
    return json(200, { id: ${name}.id, state: ${name}.state, ${fields.map((field) => `${field.name}: ${name}.${field.name}`).join(", ")} });
  });`,
  )
  .join("\n")}
}
`;
}
