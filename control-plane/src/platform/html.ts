const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Text escaped for HTML, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}

/** HTML that only `html` can create. */
export class Html {
  readonly #text: string;

  constructor(parts: readonly string[], values: readonly HtmlValue[]) {
    this.#text = String.raw({ raw: parts }, ...values.map(writeValue));
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * What can be interpolated into HTML: text and numbers are escaped, null is nothing, a list is its members in sequence.
 */
export type HtmlValue = string | number | bigint | Html | null | readonly HtmlValue[];

function writeValue(value: HtmlValue): string {
  if (value === null || typeof value !== "object") {
    return value === null ? "" : escapeHtml(String(value));
  }
  return value instanceof Html ? value.toString() : value.map(writeValue).join("");
}

/** HTML as a template: its literal parts are markup, interpolated values are text unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts, values);
}
