import { parseInline } from "./inline.ts";
import type { DocBlock, DocContent } from "./model.ts";
import type { SearchPage, SearchSection } from "./search-index.ts";

/** A page as the search knows it: its texts without marks, and without code. */
export function searchPageOf(path: string, { title, lead, sections }: DocContent): SearchPage {
  const found = sections.flatMap(({ id, title: name, blocks }) => [
    { id, title: name, text: blocks.flatMap(textsIn).map(plain).join(" ") },
    ...blocks.flatMap(errorSection),
  ]);
  const [first, ...rest] = found;
  // The lead belongs to no section, so the first one has it.
  return {
    path,
    title,
    sections: first === undefined ? [] : [{ ...first, text: `${plain(lead)} ${first.text}` }, ...rest],
  };
}

const plain = (text: string): string =>
  parseInline(text)
    .map((piece) => piece.text)
    .join("");

/** An error is found by itself, at the anchor of its code. */
function errorSection(block: DocBlock): SearchSection[] {
  if (block.kind !== "error") {
    return [];
  }
  const { codes, meaning, facts } = block;
  const text = [...codes.map(({ status }) => String(status)), meaning, ...facts.map(([, each]) => each)];
  return [
    { id: codes[0]?.code ?? "", title: codes.map(({ code }) => code).join(", "), text: text.map(plain).join(" ") },
  ];
}

function textsIn(block: DocBlock): readonly string[] {
  switch (block.kind) {
    case "text":
    case "heading":
      return [block.text];
    case "steps":
    case "list":
      return block.items;
    case "table":
      return block.rows.flat();
    case "error":
    case "snippet":
    case "tabs":
    case "code":
    case "code-tabs":
      return [];
  }
}
