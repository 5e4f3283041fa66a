import { existsSync, type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

const quietMs = 150;
const sourceFile = /\.(ts|tsx|css|svg|sql|json)$/;
const sourceFolders = ["control-plane/src", "packages", "web/src", "web/prerender", "web/build"];

/**
 * Calls back with a file name when source files of the programs have changed and then been quiet for a moment. A change
 * during the callback leads to one more call afterwards.
 */
export function watchSources(root: string, onChange: (file: string) => Promise<void>): () => void {
  let timer: Timer | null = null;
  let running: Promise<void> = Promise.resolve();
  const schedule = (file: string): void => {
    if (timer !== null) {
      clearTimeout(timer);
    }
    timer = setTimeout(() => {
      running = running.then(() => onChange(file));
    }, quietMs);
  };
  const watchers: FSWatcher[] = sourceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .map((folder) =>
      watch(join(root, folder), { recursive: true }, (_, name) => {
        if (name !== null && sourceFile.test(name) && !name.includes("node_modules")) {
          schedule(join(folder, name));
        }
      }),
    );
  return () => {
    if (timer !== null) {
      clearTimeout(timer);
    }
    for (const watcher of watchers) {
      watcher.close();
    }
  };
}
