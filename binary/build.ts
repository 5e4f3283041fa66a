/**
 * Builds the service as one file: `bun run release [target]`, by default for this machine; `--out <folder>` sets the
 * folder; `--with-postgres` builds an archive with a Postgres beside it too, `--deb` a Debian package, and `--image` a
 * container image. Writes `sluice-<target>`, its `.sha256`, and its `.cdx.json`: the packages in it, in the form of
 * CycloneDX.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { threadSources } from "@sluice/deploy/start/program-sources";
import { buildContainerImage, canBuildImage } from "./container-image.ts";
import { buildDebianPackage, debianArchitecture } from "./debian-package.ts";
import manifest from "./package.json";
import { buildPostgresArchive } from "./postgres-archive.ts";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dir, "..");
const targets = ["linux-x64", "linux-x64-baseline", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** The program that draws the pages joins them under the name of its build. */
const entries = ["binary/src/main.ts", ...threadSources];

/**
 * Code that a program does not need at its start is in separate parts, which are read on demand: a process that only serves
 * calls takes 12 MB less. Neither an `.env` file nor a `bunfig.toml` in the working folder may change what the service
 * does.
 */
const flags = [
  ...["--compile", "--splitting", "--minify", "--keep-names", "--sourcemap=none"],
  ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
];

type Metafile = { readonly inputs: Readonly<Record<string, unknown>> };
type Package = { readonly name: string; readonly version: string; readonly license?: string };

const readPackage = (folder: string): Package => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** What builds the pages is not in them. */
const pageBuilders = ["@resvg/resvg-wasm", "vite", "vite-plugin-solid"];

/** The packages of the program, and those of the pages, which are bundled before. */
function listPackages(files: readonly string[]): Package[] {
  const folders = files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const ofPages: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, "web/package.json"), "utf8"),
  );
  const names = Object.keys(ofPages.dependencies ?? {}).filter(
    (name) => !(name.startsWith("@sluice/") || pageBuilders.includes(name)),
  );
  const all = [
    ...folders.map((path) => join(root, path)),
    ...names.map((name) => join(root, "web/node_modules", name)),
  ];
  const known = new Map(all.map(readPackage).map((each) => [`${each.name}@${each.version}`, each]));
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** A list of contents in CycloneDX 1.6. */
function contentsOf(packages: readonly Package[], commit: string): object {
  const runtime = { type: "platform", name: "bun", version: Bun.version, licenses: [{ expression: "MIT" }] };
  const components = packages.map(({ name, version, license }) => ({
    ...{ type: "library", name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` },
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  }));
  const component = {
    type: "application",
    name: "sluice",
    version: manifest.version,
    properties: [{ name: "commit", value: commit }],
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components: [runtime, ...components],
  };
}

/** The commit that is built; what a checkout has beside it is named. */
function readCommit(): string {
  const commit = runProgram(["git", "rev-parse", "HEAD"]);
  return runProgram(["git", "status", "--porcelain"]) === "" ? commit : `${commit}-changed`;
}

/** Copies what the program reads, because an embedded folder keeps only the paths below itself. */
function stageFiles(folder: string, paths: readonly string[]): string {
  const staged = mkdtempSync(join(folder, ".files-"));
  for (const path of paths) {
    cpSync(join(root, path), join(staged, path), { recursive: true });
  }
  return staged;
}

/** @returns the path of the file */
function build(target: string, folder: string, commit: string): string {
  mkdirSync(folder, { recursive: true });
  runProgram([process.execPath, "web/build/build-web.ts"]);
  const pages = readFileSync(join(root, "web/dist/current"), "utf8").trim();
  const name = `sluice-${target}`;
  const outfile = join(folder, name);
  const metafile = join(folder, `.${name}.json`);
  const staged = stageFiles(folder, [
    ...["control-plane/src/db/migrations", "control-plane/src/db/functions"],
    ...["web/dist/current", `web/dist/${pages}/client`],
  ]);
  runProgram([
    ...[process.execPath, "build", ...entries, `web/dist/${pages}/server/prerender.js`, ...flags],
    ...readdirSync(staged).map((each) => `--asset=${join(staged, each)}`),
    ...[`--define=SLUICE_COMMIT=${JSON.stringify(commit)}`, `--target=bun-${target}`],
    ...[`--outfile=${outfile}`, `--metafile=${metafile}`],
  ]);
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  rmSync(metafile);
  rmSync(staged, { recursive: true });
  const files = Object.keys(inputs).map((path) => relative(root, resolve(root, path)));
  writeFileSync(`${outfile}.cdx.json`, `${JSON.stringify(contentsOf(listPackages(files), commit), null, 2)}\n`);
  report(outfile);
  return outfile;
}

/** Writes the checksum of a built file beside it. */
function report(path: string): void {
  const bytes = readFileSync(path);
  const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  writeFileSync(`${path}.sha256`, `${sum}  ${basename(path)}\n`);
  console.log(`${path}: ${(bytes.length / 1e6).toFixed(1)} MB, sha256 ${sum}`);
}

const isWanted = { type: "boolean", default: false } as const;
const options = {
  ...({ out: { type: "string" }, "with-postgres": isWanted, deb: isWanted, image: isWanted, quick: isWanted } as const),
  help: { ...isWanted, short: "h" },
} as const;

const usage = `Builds the service as one file, with its checksum and the list of the packages in it.

Usage: bun run release [target] [options]

  target            One of: ${targets.join(", ")}. By default that of this machine.
  --out <folder>    Where it is written; by default binary/dist.
  --with-postgres   Build an archive that brings a Postgres, too.
  --deb             Build a Debian package around the file, too.
  --image           Build a container image, too, as an archive in the OCI layout.
  --quick           Compress archive, package and image less, which takes a quarter of the time: to try them, not to publish them.
  --help            Print this.
`;

/** Ends the program: 2 says that nothing was done. */
function refuse(reason: string): never {
  console.error(`${reason}. See: bun run release --help`);
  process.exit(2);
}

function readCommandLine() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse((error as Error).message.split(". ")[0] ?? "");
  }
}

const { values, positionals } = readCommandLine();
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const [chosen = `${process.platform}-${process.arch}`, ...further] = positionals;
const architecture = debianArchitecture(chosen);
if (!targets.includes(chosen) || further.length > 0) {
  refuse(`"${positionals.join(" ")}" is not one of ${targets.join(", ")}`);
}
if ((values.deb && architecture === null) || (values.image && !canBuildImage(chosen))) {
  refuse("Debian packages are for Linux without -baseline, and images for Linux of the kind of this machine");
}
const revision = readCommit();
const binary = build(chosen, resolve(values.out ?? join(import.meta.dir, "dist")), revision);
if (values["with-postgres"]) {
  report(await buildPostgresArchive(binary, chosen, values.quick));
}
if (values.deb && architecture !== null) {
  report(buildDebianPackage(binary, architecture, values.quick));
}
if (values.image) {
  report(buildContainerImage(binary, { target: chosen, commit: revision, isQuick: values.quick }));
}
