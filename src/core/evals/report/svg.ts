export type Attributes = Readonly<Record<string, string | number>>;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** An element without content. */
export function element(name: string, values: Attributes): string {
  return `<${name}${attributes(values)}/>`;
}

export function text(content: string, values: Attributes): string {
  return `<text${attributes(values)}>${escapeText(content)}</text>`;
}

export function attributes(values: Attributes): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
    .join("");
}

function escapeText(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
