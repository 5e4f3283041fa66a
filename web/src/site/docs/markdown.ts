import type { DocBlock, DocContent } from "./model.ts";
import type { SnippetName } from "./snippet-names.ts";

type MarkdownParts = {
  readonly content: DocContent;
  /** The text of a snippet, filled. */
  readonly snippet: (name: SnippetName) => string;
  /** The full URL of one of our paths. */
  readonly address: (path: string) => string;
};

const cell = (text: string): string => text.replaceAll("|", "\\|");
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
/** The fence is longer than any inside a snippet. */
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;

/** A page of the docs as Markdown, for programs that read. */
export function docMarkdown({ content, snippet, address }: MarkdownParts): string {
  const block = (each: DocBlock): string => {
    switch (each.kind) {
      case "text":
        return each.text;
      case "heading":
        return `### ${each.text}`;
      case "steps":
        return each.items.map((item, index) => `${index + 1}. ${item}`).join("\n");
      case "list":
        return each.items.map((item) => `- ${item}`).join("\n");
      case "snippet":
        return fenced(snippet(each.name));
      case "code":
        return fenced(each.text);
      case "code-tabs":
        return each.tabs.map(({ label, text }) => `${label}:\n\n${fenced(text)}`).join("\n\n");
      case "error":
        return [
          `### ${each.codes.map(({ code, status }) => `${code} (${status})`).join(", ")}`,
          each.meaning,
          each.facts.map(([label, text]) => `- ${label}: ${text}`).join("\n"),
        ].join("\n\n");
      case "tabs":
        return each.tabs.map(({ label, name }) => `${label}:\n\n${fenced(snippet(name))}`).join("\n\n");
      case "table":
        return [row(each.head), row(each.head.map(() => "---")), ...each.rows.map(row)].join("\n");
    }
  };
  const parts = [
    `# ${content.title}`,
    content.lead,
    ...content.sections.flatMap(({ title, blocks }) => [`## ${title}`, ...blocks.map(block)]),
  ];
  const withAddresses = parts.map((part) => part.replace(/\]\((\/[^)\s]*)\)/g, (_, path) => `](${address(path)})`));
  return `${withAddresses.join("\n\n")}\n`;
}

/** Where the Markdown of a page is: `/docs/billing.md` for `/docs/billing/`. */
export function markdownPath(path: string): string {
  return `${path.replace(/\/$/, "")}.md`;
}
