import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../fixtures/releases/", import.meta.url);

export function releaseFile(release: string): URL {
  return new URL(`${release}/database.sql.gz`, folder);
}

/** The releases whose databases are stored, oldest first. */
export async function listReleases(): Promise<string[]> {
  return (await readdir(folder)).sort(Bun.semver.order);
}

/** Makes an empty database what one of that release was. */
export async function loadRelease(url: string, release: string): Promise<void> {
  const text = Buffer.from(Bun.gunzipSync(await readFile(releaseFile(release)))).toString("utf8");
  // What is stored changes the settings of its connection.
  await using sql = new Bun.SQL(url, { max: 1 });
  await sql.unsafe(text).simple();
}
