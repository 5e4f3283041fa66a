import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const source = join(import.meta.dir, "../../../web/src");
/** What console, admin and site share, so that its styles meet on one page. */
const shared = "{styles,kit,shell,charts,table,form,forms}/**/*.css";
const declared = /(?:^|[{};,])\s*\.([a-z][\w-]*)\s*(?=[{,])/g;

test("a class of the shared styles is declared in one file, so that no part is styled as another one", async () => {
  const filesOf = new Map<string, Set<string>>();
  for await (const file of new Glob(shared).scan({ cwd: source })) {
    const text = (await Bun.file(join(source, file)).text()).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const [, name = ""] of file.endsWith(".module.css") ? [] : text.matchAll(declared)) {
      filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
    }
  }
  expect(filesOf.size).toBeGreaterThan(50);
  const shares = [...filesOf].filter(([, files]) => files.size > 1).map(([name, files]) => [name, [...files].sort()]);
  expect(shares).toEqual([]);
});
