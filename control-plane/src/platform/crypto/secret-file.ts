import { randomUUID } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read, unless it exists. The content is complete before the name appears, so
 * that processes that start at once all read the same, whole content; the first one wins.
 * @returns whether this call created the file
 */
export async function createSecretFile(path: string, content: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a rename, a link never replaces an existing file.
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
