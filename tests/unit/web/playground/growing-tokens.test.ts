import { expect, test } from "bun:test";
import { createGrowingTokens } from "@sluice/web/src/console/pages/playground/markdown/growing-tokens.ts";
import { toTokens } from "@sluice/web/src/console/pages/playground/markdown/tokens.ts";

type Token = ReturnType<typeof toTokens>[number];

const answer = [
  "# Title\n\nA *word* and\nanother line.\n\n",
  "Setext\n===\n\n- one\n- two\n\n  still two\n\n- three\n\n1. first\n2. second\n\n",
  "Code:\n```ts\nconst a = `x`;\n\nlet b;\n```\nText right after.\n\n~~~~\n~~~ not the end\n~~~~\n\n",
  "    indented\n\n    more of it\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> a quote\nthat goes on\n\n<div>\nraw\n</div>\n\n---\n\nThe end.",
].join("");

/** The beginnings of a text as pieces of this length arrive. */
const beginnings = (text: string, step: number): string[] =>
  Array.from({ length: Math.ceil(text.length / step) }, (_, index) => text.slice(0, (index + 1) * step));

test.each([1, 2, 3, 7, 50])("an answer in pieces of %d characters is read as if it had come at once", (step) => {
  const read = createGrowingTokens();
  for (const text of beginnings(answer, step)) {
    // What is missing of a block that has just begun may only be that, and never a block.
    expect(read(text).map(({ raw }) => raw)).toEqual(toTokens(text).map(({ raw }) => raw));
  }
  expect(read(answer).map(withoutLinks)).toEqual(toTokens(answer).map(withoutLinks));
});

/** Token lists carry the links of their text, which are not compared. */
const withoutLinks = (token: Token): unknown => JSON.parse(JSON.stringify(token));

test("carriage returns are read, too, wherever a piece ends", () => {
  const text = "One\r\n\r\n```js\r\nlet a;\r\n```\r\n\r\nTwo\r\n\r\n- a\r\n- b";
  const read = createGrowingTokens();
  for (const beginning of beginnings(text, 1)) {
    expect(read(beginning).map(({ raw }) => raw)).toEqual(toTokens(beginning).map(({ raw }) => raw));
  }
});

test("blocks that are complete are not read again", () => {
  const read = createGrowingTokens();
  const before = read("One.\n\nTwo.\n\nThr");
  const after = read("One.\n\nTwo.\n\nThree.\n\nFour.");
  expect(after).toHaveLength(4);
  expect(after.slice(0, 2).every((token, index) => token === before[index])).toBe(true);
});

test("a text that begins again is read again", () => {
  const read = createGrowingTokens();
  expect(read("A long first answer.\n\nWith two parts.")).toHaveLength(2);
  expect(read("Short.").map(({ raw }) => raw)).toEqual(["Short."]);
});

test("a long block is read in time in line with its length, and shown a few words late at most", () => {
  const line = "- an entry of a list\n";
  const read = createGrowingTokens();
  let changes = 0;
  let shown: Token | undefined;
  for (const text of beginnings(line.repeat(1_000), line.length)) {
    const [list] = read(text);
    changes += list === shown ? 0 : 1;
    shown = list;
    expect(text.length - (list?.raw.length ?? 0)).toBeLessThanOrEqual(text.length / 32 + line.length);
  }
  expect(changes).toBeLessThan(250);
});

test("long code is shown as it comes, without being read again", () => {
  const read = createGrowingTokens();
  const code = "let value = 1;\n".repeat(1_000);
  let text = "```js\n";
  for (const line of code.match(/.+\n/g) ?? []) {
    text += line;
    expect((read(text)[0] as { text?: string }).text?.length).toBe(text.length - "```js\n\n".length);
  }
  expect(read(`${text}\`\`\`\n\nDone.`).map(({ type }) => type)).toEqual(["code", "paragraph"]);
});
