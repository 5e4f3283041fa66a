import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { diskTmpdir } from "../../runner/run-folder.ts";

const decompress = promisify(brotliDecompress);
const launchMsMax = 60_000;
const debianChromium = "/usr/bin/chromium";

/** What a browser in a container needs, and nothing that would make it less strict than a user's. */
const flags = [
  "--no-sandbox",
  "--headless=shell",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--font-render-hinting=none",
  "--force-color-profile=srgb",
  "--hide-scrollbars",
];

/**
 * A real Chromium: the one that came with the packages, or else that of the distribution.
 * @param moreFlags beside those that every browser of the tests has
 */
export async function launchChromium(moreFlags: readonly string[] = []): Promise<Browser> {
  const launch = (executablePath: string, added: Record<string, string>): Promise<Browser> =>
    launchProgram(executablePath, added, moreFlags);
  const { program, libraries } = await unpackChromium();
  const { LD_LIBRARY_PATH = "" } = process.env;
  try {
    return await launch(program, { LD_LIBRARY_PATH });
  } catch {
    // A machine without the libraries of a browser: some come with the package.
  }
  try {
    return await launch(program, { LD_LIBRARY_PATH: [libraries, LD_LIBRARY_PATH].filter(Boolean).join(":") });
  } catch (error) {
    if (!existsSync(debianChromium)) {
      throw error;
    }
    return await launch(debianChromium, {});
  }
}

function launchProgram(
  executablePath: string,
  added: Record<string, string>,
  moreFlags: readonly string[],
): Promise<Browser> {
  const { PATH = "", HOME = tmpdir() } = process.env;
  const args = [...flags, ...moreFlags];
  // What its processes share are files there, thousands for a few pages: in memory, if that of the run is.
  const env = { PATH, HOME, TMPDIR: tmpdir(), ...added };
  return chromium.launch({ executablePath, args, timeout: launchMsMax, env });
}

/**
 * Unpacks the browser once for this machine and version. It appears whole or not at all, so that tests that begin at the
 * same time don't meet half of one.
 */
async function unpackChromium(): Promise<{ readonly program: string; readonly libraries: string }> {
  const packed = join(import.meta.dir, "../../node_modules/@sparticuz/chromium");
  const { version } = JSON.parse(await readFile(join(packed, "package.json"), "utf8")) as { version: string };
  const folder = join(diskTmpdir(), `sluice-chromium-${version}-${process.getuid?.() ?? 0}`);
  const unpacked = { program: join(folder, "chromium"), libraries: join(folder, "lib") };
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}.tmp`;
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeFile(join(draft, "chromium"), await decompress(await readFile(join(packed, "bin/chromium.br"))));
    await chmod(join(draft, "chromium"), 0o700);
    await extractTar(await decompress(await readFile(join(packed, "bin/al2023.tar.br"))), draft);
    // If another process was first, its copy is as good.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  }
  return unpacked;
}

async function extractTar(tar: Uint8Array, folder: string): Promise<void> {
  const archive = new Bun.Archive(tar);
  await archive.extract(folder);
}
