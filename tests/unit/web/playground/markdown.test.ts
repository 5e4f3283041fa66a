import { expect, test } from "bun:test";
import { decodeEntities, safeAddress, toTokens } from "@sluice/web/src/console/pages/playground/markdown/tokens.ts";

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "/backend/auth/logout/",
  "//",
  "",
])("a link to %p is shown as text", (address) => {
  expect(safeAddress(address)).toBeNull();
});

test("links to web and mail addresses stay", () => {
  expect(safeAddress("https://example.org/a?b#c")).toBe("https://example.org/a?b#c");
  expect(safeAddress("mailto:ada@example.org")).toBe("mailto:ada@example.org");
});

test("an answer is read as blocks", () => {
  const text = "# Title\n\nA *word*.\n\n- one\n- two\n\n```js\nlet a;\n```\n\n| a |\n| - |\n| 1 |\n\n<div>raw</div>";
  expect(toTokens(text).map(({ type }) => type)).toEqual(["heading", "paragraph", "list", "code", "table", "html"]);
});

test("an answer that breaks off in the middle of a block is read, too", () => {
  expect(toTokens("```python\nprint(").map(({ type }) => type)).toEqual(["code"]);
  expect(toTokens("**bo").map(({ type }) => type)).toEqual(["paragraph"]);
});

test("entities are read as characters, and what is none stays", () => {
  expect(decodeEntities("a &lt; b &amp;&amp; c &#39;d&#x27; &unknown; &constructor; &")).toBe(
    "a < b && c 'd' &unknown; &constructor; &",
  );
  expect(decodeEntities("&#0; &#9999999;")).toBe("&#0; &#9999999;");
});
