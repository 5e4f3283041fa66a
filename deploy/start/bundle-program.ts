/**
 * `bun deploy/start/bundle-program.ts <folder>`: bundles the control plane of this checkout into a folder.
 * `built-program.ts` runs it as a process of its own, because a bundler takes 370 MB.
 */
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programSources, threadSources } from "./program-sources.ts";

const root = join(import.meta.dir, "../..");

async function bundle(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: [...Object.values(programSources), ...threadSources].map((path) => join(root, path)),
    outdir: folder,
    // All in one folder: `platform/program-files.ts` finds everything else from there.
    naming: { entry: "[name].[ext]", chunk: "[hash].[ext]" },
    target: "bun",
    format: "esm",
    // Parts that a program does not need at its start are read later.
    splitting: true,
    // Names stay, because traces show them.
    minify: { whitespace: true, syntax: true },
    // The runtime reads the map of a part, which is beside it, when it first prints a trace of it.
    sourcemap: "external",
    // Fonts are read where they are.
    external: ["*.woff"],
    // The bundler would write down the environment in which it runs.
    define: { "process.env.NODE_ENV": "process.env.NODE_ENV" },
  });
  await Promise.all((await readdir(folder)).map((name) => keep(join(folder, name))));
}

/** Removes the copies of sources from maps, because traces need none. Flushes the file, so that it survives a power cut like its name. */
async function keep(path: string): Promise<void> {
  if (path.endsWith(".map")) {
    const map: { readonly sources: readonly string[] } = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...map, sourcesContent: map.sources.map(() => "") }));
  }
  const file = await open(path);
  await file.sync();
  await file.close();
}

const [draft = ""] = process.argv.slice(2);
await bundle(draft);
