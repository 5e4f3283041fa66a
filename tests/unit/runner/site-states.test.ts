import { expect, test } from "bun:test";
import { existsSync, lstatSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkStates, moveStates } from "../../support/web/site-states.ts";

const state = "0123456789abcdef0123456789abcdef";

async function inFolder(look: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "site-states-"));
  try {
    await look(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("what one service rendered is lent to the next, whose removal of it leaves it to the others", async () => {
  await inFolder(async (folder) => {
    const [first, shared, second, third] = ["first", "shared", "second", "third"].map((name) => join(folder, name));
    if (first === undefined || shared === undefined || second === undefined || third === undefined) {
      throw new Error("there are four folders");
    }
    await mkdir(join(first, state), { recursive: true });
    await writeFile(join(first, state, "index.html"), "hello");
    await mkdir(join(first, `${state}.123.tmp`));
    await moveStates(first, shared);
    expect(await readdir(shared)).toEqual([state]);
    await linkStates(shared, second);
    await linkStates(shared, third);
    expect(await readFile(join(second, state, "index.html"), "utf8")).toBe("hello");
    // What was lent is not given back in place of the original.
    await moveStates(second, shared);
    expect(lstatSync(join(second, state)).isSymbolicLink()).toBe(true);
    await rm(join(second, state), { recursive: true, force: true });
    expect(existsSync(join(second, state))).toBe(false);
    expect(await readFile(join(third, state, "index.html"), "utf8")).toBe("hello");
  });
});

test("two services that rendered the same, and one that rendered nothing, leave one state", async () => {
  await inFolder(async (folder) => {
    const shared = join(folder, "shared");
    for (const name of ["first", "second"]) {
      await mkdir(join(folder, name, state), { recursive: true });
      await writeFile(join(folder, name, state, "index.html"), "hello");
      await moveStates(join(folder, name), shared);
    }
    await moveStates(join(folder, "none"), shared);
    expect(await readdir(shared)).toEqual([state]);
  });
});
