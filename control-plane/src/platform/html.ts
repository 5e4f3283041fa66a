const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Text as it is written in HTML, also inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}

/** HTML, as only `html` makes it. */
export class Html {
  readonly #text: string;

  constructor(parts: readonly string[], values: readonly HtmlValue[]) {
    this.#text = String.raw({ raw: parts }, ...values.map(writeValue));
  }

  toString(): string {
    return this.#text;
  }
}

/** What can be put into HTML: text and numbers are escaped, null is nothing, a list is its members one after another. */
export type HtmlValue = string | number | bigint | Html | null | readonly HtmlValue[];

function writeValue(value: HtmlValue): string {
  if (value === null || typeof value !== "object") {
    return value === null ? "" : escapeHtml(String(value));
  }
  return value instanceof Html ? value.toString() : value.map(writeValue).join("");
}

/** HTML as a template: what is written in it is markup, what is put into it is text unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts, values);
}
