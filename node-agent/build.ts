/**
 * Builds the agent as one file for each target, with checksums: `bun node-agent/build.ts [targets]`. Targets are
 * linux-x64, linux-x64-baseline, linux-arm64 and `native`; all but the last by default. `--out <folder>` sets the
 * folder.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "./package.json";

const root = join(import.meta.dir, "..");
const entry = join(import.meta.dir, "src/main.ts");
const allTargets = ["linux-x64", "linux-x64-baseline", "linux-arm64"];
const nativeTarget = process.arch === "arm64" ? "linux-arm64" : "linux-x64";

type Metafile = { readonly inputs: Readonly<Record<string, unknown>> };

/** Neither an `.env` file nor a `bunfig.toml` in the agent's working directory may change what it does. */
const flags = [
  ...["--compile", "--minify", "--bytecode", "--sourcemap=none"],
  ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
];

/** @returns the files of the repository, and of packages, that are part of the binary */
function buildTarget(target: string, outfile: string, metafile: string): string[] | null {
  const command = [
    "build",
    entry,
    ...flags,
    `--target=bun-${target}`,
    `--outfile=${outfile}`,
    `--metafile=${metafile}`,
  ];
  const result = Bun.spawnSync([process.execPath, ...command], { cwd: root, stdout: "pipe", stderr: "pipe" });
  if (result.exitCode !== 0) {
    console.error(`  failed: ${result.stderr.toString().trim().split("\n").slice(-3).join(" ")}`);
    return null;
  }
  chmodSync(outfile, 0o755);
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
  rmSync(metafile);
  return Object.keys(inputs).map((path) => relative(root, join(root, path)));
}

function build(targets: readonly string[], folder: string): number {
  mkdirSync(folder, { recursive: true });
  const sums: string[] = [];
  let contents: string[] = [];
  for (const [index, target] of targets.entries()) {
    const name = `sluice-node-agent-${target}`;
    const outfile = join(folder, name);
    const startedMs = performance.now();
    console.log(`[${index + 1}/${targets.length}] ${name} ${manifest.version}`);
    const files = buildTarget(target, outfile, join(folder, `.${name}.json`));
    if (files === null) {
      continue;
    }
    contents = files;
    const bytes = readFileSync(outfile);
    const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    sums.push(`${sum}  ${name}`);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`  ${(bytes.length / 1e6).toFixed(1)} MB in ${seconds} s, sha256 ${sum}`);
  }
  writeFileSync(join(folder, "SHA256SUMS"), sums.map((line) => `${line}\n`).join(""));
  writeFileSync(
    join(folder, "CONTENTS"),
    contents
      .sort()
      .map((path) => `${path}\n`)
      .join(""),
  );
  console.log(`${sums.length} of ${targets.length} built in ${folder}`);
  return sums.length === targets.length ? 0 : 1;
}

const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
const chosen = (positionals.length === 0 ? allTargets : positionals).map((name) =>
  name === "native" ? nativeTarget : name,
);
const unknown = chosen.find((name) => !allTargets.includes(name));
if (unknown !== undefined) {
  console.error(`"${unknown}" is not one of ${allTargets.join(", ")}, native`);
  process.exit(2);
}
// The bundler works in the root of the repository, wherever this script was called.
process.exit(build(chosen, resolve(values.out ?? join(import.meta.dir, "dist"))));
