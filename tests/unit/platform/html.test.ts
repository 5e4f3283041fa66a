import { describe, expect, test } from "bun:test";
import { escapeHtml, html } from "@sluice/control-plane/platform/html.ts";

describe("html", () => {
  test("escapes every interpolated text, even in an attribute", () => {
    const text = `<b title='"&'>\``;
    expect(html`<p title="${text}">${text}</p>`.toString()).toBe(
      `<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`,
    );
    expect(escapeHtml(text)).toBe("&lt;b title=&#39;&quot;&amp;&#39;&gt;&#96;");
  });

  test("accepts HTML as it is, and escapes nothing twice", () => {
    expect(html`<ul>${html`<li>${"&amp;"}</li>`}</ul>`.toString()).toBe("<ul><li>&amp;amp;</li></ul>");
  });

  test("writes numbers, lists of anything, and nothing for null", () => {
    expect(html`${1}${2n}${null}${["<", html`<i>`, [3]]}`.toString()).toBe("12&lt;<i>3");
  });
});
