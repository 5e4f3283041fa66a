import { isSafeLink } from "@sluice/contracts/shown-texts";
// Evaluated by the first legal page, because its tables take 8 MB and many services have no such page.
import defer * as markdownIt from "markdown-it";

const nestingMax = 20;
/** The page has a heading of its own. */
const headingShift = 1;

type Reader = InstanceType<typeof markdownIt.default>;

let reader: Reader | null = null;

function openReader(): Reader {
  const made = new markdownIt.default({
    html: false,
    linkify: false,
    typographer: false,
    maxNesting: nestingMax,
  }).disable(["image"]);
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
