/** A file of the build, as the bundler's manifest names it. */
type Chunk = {
  readonly file: string;
  readonly name?: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
};
export type AppManifest = Readonly<Record<string, Chunk>>;

/** @throws Error when the build has no such module */
export function chunkOf(manifest: AppManifest, key: string): Chunk {
  const chunk = manifest[key];
  if (chunk === undefined) {
    throw new Error(`the manifest has no ${key}`);
  }
  return chunk;
}

/**
 * The key of the chunk that runs an application. Where its pages share modules with the entry, the file of the entry only imports that chunk.
 * @throws Error when the build has none
 */
export function entryOf(manifest: AppManifest, area: "console" | "admin" | "kit"): string {
  const [shared] = Object.entries(manifest).find(([, { name }]) => name === `parts-${area}`) ?? [];
  const entry = shared ?? `src/${area === "kit" ? "kit-page" : area}/main.tsx`;
  chunkOf(manifest, entry);
  return entry;
}

/** A module and everything that it imports, once each. */
export function chunksFor(manifest: AppManifest, key: string, seen: Set<string> = new Set()): Chunk[] {
  const chunk = manifest[key];
  if (chunk === undefined || seen.has(key)) {
    return [];
  }
  seen.add(key);
  return [chunk, ...(chunk.imports ?? []).flatMap((each) => chunksFor(manifest, each, seen))];
}
