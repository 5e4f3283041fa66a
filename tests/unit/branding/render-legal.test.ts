import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderLegal } from "@sluice/control-plane/branding/render-legal.ts";
import { processorMsOf } from "../../support/values/processor-time.ts";

test("headings begin below that of the page, and links, lists and tables are drawn", () => {
  expect(renderLegal("# Scope\n\nSee [us](https://acme.example/a).\n\n- one\n\n| a | b |\n|--:|---|\n| 1 | 2 |")).toBe(
    [
      "<h2>Scope</h2>",
      '<p>See <a href="https://acme.example/a">us</a>.</p>',
      "<ul>\n<li>one</li>\n</ul>",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>",
      "",
    ].join("\n"),
  );
});

test.each([
  ["an element", "<script>alert(1)</script>"],
  ["an attribute", '<b onclick="alert(1)">x</b>'],
  ["a link to a script", "[x](javascript:alert(1))"],
  ["a hidden link to a script", "[x](JaVaScRiPt&#58;alert(1))"],
  ["a link with data", "[x](data:text/html;base64,PHNjcmlwdD4=)"],
  ["a link to another host without a scheme", "[x](//other.example/)"],
  ["a link without encryption", "[x](http://acme.example/)"],
  ["a login in a link", "[x](https://user:secret@acme.example/)"],
  ["a reference to a script", "[x]\n\n[x]: javascript:alert(1)"],
  ["an image", "![x](https://other.example/pixel.png)"],
  ["a quote that leaves its attribute", '[x](https://acme.example/"onmouseover="alert(1))'],
  ["an automatic link", "<javascript:alert(1)>"],
])("%s stays text", (_, markdown) => {
  const markup = renderLegal(markdown);
  expect(markup).not.toMatch(/<(?!\/?(?:p|a|em|strong)\b)/);
  expect(markup).not.toMatch(/<[^>]*(?:javascript:|data:|http:|href="\/\/|secret|\son\w+=)/i);
});

test("text that is nested without end is drawn in time", () => {
  const draw = () => {
    renderLegal(">".repeat(30_000));
    renderLegal("[".repeat(30_000));
    renderLegal("*a **b ".repeat(8_000));
  };
  expect(processorMsOf(draw)).toBeLessThan(5_000);
});

test("a bundle evaluates the reader for its first page, not at its start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reader-"));
  try {
    await Bun.build({
      entrypoints: [join(import.meta.dir, "../../../control-plane/src/branding/render-legal.ts")],
      outdir: folder,
      target: "bun",
      plugins: [
        {
          name: "notes the evaluation",
          setup: (build) => {
            build.onLoad({ filter: /\/markdown-it\/dist\/[\w.-]+$/ }, async ({ path }) => ({
              contents: `globalThis.isReaderEvaluated = true;\n${await Bun.file(path).text()}`,
              loader: "js",
            }));
          },
        },
      ],
    });
    const script = `
      const { renderLegal } = require("./render-legal.js");
      const isEvaluated = () => "isReaderEvaluated" in globalThis;
      console.log(JSON.stringify([isEvaluated(), renderLegal("# Scope"), isEvaluated()]));`;
    const run = Bun.spawnSync([process.execPath, "-e", script], { cwd: folder, stderr: "inherit" });
    expect(JSON.parse(run.stdout.toString())).toEqual([false, "<h2>Scope</h2>\n", true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
