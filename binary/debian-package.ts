import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import manifest from "./package.json";
import { runProgram } from "./run-program.ts";

const root = join(import.meta.dir, "..");
const scripts = ["postinst", "prerm", "postrm"];
const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };

const maintainer = "Sluice <maintainers@sluice.example>";

/** What the unit of the package has in place of the lines of the unit for two instances. */
const unitLines: readonly (readonly [RegExp, string])[] = [
  [/^# .*\n# .*\n/, "# The service from its package; /etc/sluice/control-plane.env has its settings.\n"],
  [/^Description=.*$/m, "Description=Sluice, a gateway to model APIs"],
  [/^Documentation=.*$/m, "Documentation=file:/usr/share/doc/sluice/operating/runbook.md"],
  [/^WorkingDirectory=.*$/m, "WorkingDirectory=/var/lib/sluice"],
  [/^EnvironmentFile=\/etc\/sluice\/instance-%i\.env\n/m, ""],
  [/^ExecStart=.*$/m, "ExecStart=/usr/bin/sluice start"],
];

/** The unit of the package. @throws Error when a line to be replaced is no longer there */
export function packageUnit(unit: string): string {
  return unitLines.reduce((text, [line, replacement]) => {
    const replaced = text.replace(line, replacement);
    if (replaced === text) {
      throw new Error(`the unit has no line ${line}`);
    }
    return replaced;
  }, unit);
}

/** Null for a target without a package. */
export function debianArchitecture(target: string): string | null {
  return architectures[target] ?? null;
}

/**
 * Builds the Debian package of a binary, with dpkg-deb.
 * @param binary its list of contents lies beside it
 * @param isQuick compresses less
 * @returns the path of the package
 * @throws Error when dpkg-deb is missing or fails
 */
export function buildDebianPackage(binary: string, architecture: string, isQuick: boolean): string {
  const folder = dirname(binary);
  const tree = mkdtempSync(join(folder, ".deb-"));
  const put = (path: string, text: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text, { mode });
  };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const documents = "usr/share/doc/sluice";
  put("usr/lib/systemd/system/sluice.service", packageUnit(read("deploy/control-plane/sluice@.service")));
  put("etc/sluice/control-plane.env", read("deploy/control-plane/control-plane.env.example"));
  put(`${documents}/copyright`, read("binary/debian/copyright"));
  put(`${documents}/env.example`, read("deploy/env.example"));
  put(`${documents}/sluice.cdx.json`, readFileSync(`${binary}.cdx.json`, "utf8"));
  put(`${documents}/CHANGELOG.md`, read("CHANGELOG.md"));
  put(`${documents}/changelog.gz`, compress(changelogOf(runProgram(["git", "log", "-1", "--format=%cD"]))));
  put("usr/share/man/man1/sluice.1.gz", compress(read("binary/debian/sluice.1")));
  put("usr/share/lintian/overrides/sluice", read("binary/debian/lintian-overrides"));
  cpSync(join(root, "docs/operating"), join(tree, documents, "operating"), { recursive: true });
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  copyFileSync(binary, join(tree, "usr/bin/sluice"));
  chmodSync(join(tree, "usr/bin/sluice"), 0o755);
  const kilobytes = Math.ceil(statSync(binary).size / 1_024);
  put("DEBIAN/control", controlOf(architecture, kilobytes));
  put("DEBIAN/conffiles", "/etc/sluice/control-plane.env\n");
  for (const name of scripts) {
    put(`DEBIAN/${name}`, read(`binary/debian/${name}`), 0o755);
  }
  chmodSync(tree, 0o755);
  const built = join(folder, `sluice_${manifest.version}_${architecture}.deb`);
  const compression = isQuick ? ["-Zgzip", "-z1"] : ["-Zxz", "-z0"];
  runProgram(["dpkg-deb", "--root-owner-group", ...compression, "--build", tree, built]);
  rmSync(tree, { recursive: true });
  return built;
}

const compress = (text: string): Uint8Array => Bun.gzipSync(text, { level: 9 });

/** The form that Debian's tools read; what changed is in CHANGELOG.md beside it. @param date of the commit */
function changelogOf(date: string): string {
  return `sluice (${manifest.version}) unstable; urgency=medium

  * CHANGELOG.md in this folder has the changes of each version.

 -- ${maintainer}  ${date}
`;
}

function controlOf(architecture: string, kilobytes: number): string {
  return `Package: sluice
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.31), passwd
Suggests: postgresql (>= 15), nginx
Section: net
Priority: optional
Description: self-hosted, paid gateway to model APIs
 Sluice gives API keys to clients of OpenAI and Anthropic, passes their calls on
 to providers and exit nodes, and charges for them exactly. It needs a
 PostgreSQL of version 15 or later, here or on another machine.
`;
}
