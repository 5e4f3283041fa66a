import { isSafeLink } from "@sluice/contracts/shown-texts";
import MarkdownIt from "markdown-it";

const nestingMax = 20;
/** The page has a heading of its own. */
const headingShift = 1;

const reader = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: nestingMax }).disable([
  "image",
]);
reader.validateLink = (url) => isSafeLink(url) || /^(?:mailto:[^\s<>"']{3,254}|#[\w-]{1,100})$/i.test(url);
reader.core.ruler.push("site_rules", ({ tokens }) => {
  for (const token of tokens) {
    if (token.type === "heading_open" || token.type === "heading_close") {
      token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingShift)}`;
    }
    // Pages allow no style in their markup; columns are aligned by the language.
    token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
  }
});

/**
 * A legal page as markup. Nothing in the text becomes an element of its own: markup is shown as it was typed, links lead
 * to https URLs, mail addresses and this site, and images are left out.
 */
export function renderLegal(markdown: string): string {
  return reader.render(markdown);
}
