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
 * @returns the path of the package
 * @throws Error when dpkg-deb is missing or fails
 */
export function buildDebianPackage(binary: string, architecture: string): string {
  const folder = dirname(binary);
  const tree = mkdtempSync(join(folder, ".deb-"));
  const put = (path: string, text: string, mode = 0o644): void => {
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
  runProgram(["dpkg-deb", "--root-owner-group", "-Zxz", "-z0", "--build", tree, built]);
  rmSync(tree, { recursive: true });
  return built;
}

function controlOf(architecture: string, kilobytes: number): string {
  return `Package: sluice
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: Sluice <maintainers@sluice.example>
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
