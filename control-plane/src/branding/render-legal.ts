import { isSafeLink } from "@sluice/contracts/shown-texts";

const nestingMax = 20;
/** The page has a heading of its own. */
const headingShift = 1;

type ReaderClass = typeof import("markdown-it").default;
type Reader = InstanceType<ReaderClass>;

let reader: Reader | null = null;

/**
 * Loads the package for the first legal page: it takes 8 MB, and many services have no such page. A deferred import would
 * not do: a bundle evaluates it at the start.
 */
function openReader(): Reader {
  const MarkdownIt: ReaderClass = require("markdown-it");
  const made = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: nestingMax }).disable([
    "image",
  ]);
  made.validateLink = (url) => isSafeLink(url) || /^(?:mailto:[^\s<>"']{3,254}|#[\w-]{1,100})$/i.test(url);
  made.core.ruler.push("site_rules", ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === "heading_open" || token.type === "heading_close") {
        token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + headingShift)}`;
      }
      // Pages allow no style in their markup; columns are aligned by the language.
      token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
    }
  });
  return made;
}

/**
 * A legal page as markup. Nothing in the text becomes an element of its own: markup is shown as it was typed, links lead
 * to https URLs, mail addresses and this site, and images are left out.
 */
export function renderLegal(markdown: string): string {
  reader ??= openReader();
  return reader.render(markdown);
}
