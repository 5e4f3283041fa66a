import type { CodeTab } from "./api/example-call.ts";
import type { SnippetName } from "./snippet-names.ts";

/*
 * A page of the docs as data, so that it is written once and rendered twice: as a page for browsers and as Markdown.
 * Texts may contain `code` and [links](/docs/clients/); nothing else is markup.
 */

/** A snippet and its tab label, a name that no language translates. */
export type SnippetTab = { readonly label: string; readonly name: SnippetName };

export type DocBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "steps" | "list"; readonly items: readonly string[] }
  | { readonly kind: "snippet"; readonly name: SnippetName }
  /** Tabs with the same labels, on any page, change together. */
  | { readonly kind: "tabs"; readonly tabs: readonly SnippetTab[] }
  /** Code that was put together for the page. */
  | { readonly kind: "code"; readonly name: string; readonly text: string }
  | { readonly kind: "code-tabs"; readonly tabs: readonly CodeTab[] }
  /** What an error means; each of its codes can be linked to. */
  | {
      readonly kind: "error";
      readonly codes: readonly { readonly code: string; readonly status: number }[];
      readonly meaning: string;
      readonly facts: readonly (readonly [label: string, text: string])[];
    }
  | {
      readonly kind: "table";
      readonly label: string;
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

export type DocSection = { readonly id: string; readonly title: string; readonly blocks: readonly DocBlock[] };

export type DocContent = {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly DocSection[];
};
