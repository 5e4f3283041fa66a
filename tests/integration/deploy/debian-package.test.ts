import { afterAll, beforeAll, expect, test } from "bun:test";
import { linkSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { createEmptyDatabase } from "../../support/postgres/empty-database.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";
import {
  describeUnless,
  firstObstacle,
  testUnless,
  unlessFull,
  unlessInstalled,
  unlessRoot,
} from "../../support/service/obstacles.ts";
import { buildOneFile } from "../../support/service/one-file.ts";
import { repositoryRoot, startProgram } from "../../support/service/start-process.ts";
import { ownRootFault, runAsSystem } from "../../support/service/system-installation.ts";
import { withoutPages } from "../../support/web/without-pages.ts";

let folder = "";
let database: TestDatabase;
let building: Promise<string> | null = null;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-deb-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds the package, once for all tests. @returns its name */
async function buildPackage(): Promise<string> {
  await buildOneFile(folder, "--deb");
  const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".deb"));
  return name;
}

async function builtPackage(): Promise<string> {
  building ??= buildPackage();
  return await building;
}

const obstacle = firstObstacle(
  unlessRoot,
  unlessInstalled("dpkg-deb", "dpkg", "setpriv", "curl", "unshare"),
  ownRootFault(),
);

/** Without those of other packages, which make an index of all manual pages after each step. */
const dpkg = "dpkg --no-triggers";

/** Runs the program as the unit does: its account, its settings, and the key in a file that it may read. */
const serve = [
  "install -o sluice -m 0400 /etc/sluice/master-key /run/master-key",
  "(set -a; . /etc/sluice/control-plane.env; NODE_ENV=production DATA_DIR=/var/lib/sluice MASTER_KEY_FILE=/run/master-key",
  'cd /var/lib/sluice; exec setpriv --reuid sluice --regid sluice --init-groups /usr/bin/sluice start) >"$1/log" 2>&1 &',
  "service=$!",
  'timeout 90 sh -c \'until grep -q "Next:" "$0"; do sleep 0.1; done\' "$1/log" || { cat "$1/log"; exit 1; }',
];

const settingsOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

/** Makes the package of an older version, with another program, another example of settings, and a file that is gone by now. */
const makeOlder = [
  'dpkg-deb --raw-extract "$1/sluice.deb" /tmp/older',
  'sed -i "s/^Version: .*/Version: 0.0.1/" /tmp/older/DEBIAN/control',
  'printf "#!/bin/sh\\necho an older program\\n" >/tmp/older/usr/bin/sluice',
  'echo "# An older example." >>/tmp/older/etc/sluice/control-plane.env',
  "mkdir /tmp/older/usr/share/sluice-older && touch /tmp/older/usr/share/sluice-older/file",
  'dpkg-deb --build --root-owner-group -Zgzip /tmp/older "$1/older.deb" >/dev/null',
];

const { version } = await Bun.file(join(repositoryRoot, "package.json")).json();

describeUnless(obstacle, "the Debian package", () => {
  beforeAll(async () => {
    linkSync(join(folder, await builtPackage()), join(folder, "sluice.deb"));
    database = await createEmptyDatabase((await createTestDatabase()).url);
  }, 300_000);

  afterAll(() => database.drop());

  test("installs a service that serves as its own account, keeps settings and key in an upgrade from an older version, and leaves the key in a purge", async () => {
    const port = await findFreePort();
    writeFileSync(
      join(folder, "settings"),
      settingsOf({
        ...withoutPages,
        PORT: String(port),
        DATABASE_URL: database.url,
        PUBLIC_BASE_URL: "https://sluice.example",
      }),
    );
    const said = await runAsSystem(folder, repositoryRoot, [
      "set -eu",
      ...makeOlder,
      `${dpkg} -i "$1/older.deb" 2>&1`,
      'echo "first $(dpkg -s sluice | grep ^Version:), $(/usr/bin/sluice)"',
      'echo "modes $(stat -c %a:%U:%G /etc/sluice/control-plane.env /etc/sluice/master-key /var/lib/sluice | xargs)"',
      'echo "key bytes $(base64 -d /etc/sluice/master-key | wc -c)"',
      'cat "$1/settings" >/etc/sluice/control-plane.env',
      "touch /var/lib/sluice/kept",
      "before=$(sha256sum /etc/sluice/control-plane.env /etc/sluice/master-key)",
      `${dpkg} --force-confold -i "$1/sluice.deb" 2>&1`,
      'test -e /etc/sluice/control-plane.env.dpkg-dist && echo "the new example lies beside it"',
      'echo "then $(dpkg -s sluice | grep ^Version:), $(/usr/bin/sluice --version | head -n 1)"',
      'test "$before" = "$(sha256sum /etc/sluice/control-plane.env /etc/sluice/master-key)" && echo "all is kept"',
      'test ! -e /usr/share/sluice-older && test -e /var/lib/sluice/kept && echo "only the files of the package are replaced"',
      ...serve,
      `echo "health $(curl -s -o /dev/null -w %{http_code} http://127.0.0.1:${port}/healthz)"`,
      'echo "account $(stat -c %U /proc/$service)"',
      "kill $service; wait $service || true",
      `${dpkg} -i "$1/sluice.deb" 2>&1`,
      'test "$before" = "$(sha256sum /etc/sluice/control-plane.env /etc/sluice/master-key)" && echo "all is kept again"',
      `${dpkg} --purge sluice 2>&1`,
      'ls /etc/sluice; test ! -e /usr/bin/sluice && echo "program gone"',
    ]);
    expect(said).toContain("modes 640:root:sluice 600:root:root 700:sluice:sluice");
    expect(said).toContain("key bytes 32");
    expect(said).toContain("health 200");
    expect(said).toContain("account sluice");
    expect(said).toContain("first Version: 0.0.1, an older program");
    expect(said).toContain(`then Version: ${version}, sluice ${version}`);
    expect(said).toMatch(/^all is kept\nonly the files of the package are replaced$/m);
    expect(said).toContain("the new example lies beside it");
    expect(said).toContain("all is kept again");
    expect(said).toContain("/etc/sluice/master-key is kept");
    expect(said).toMatch(/^master-key\nprogram gone$/m);
  }, 300_000);
});

/**
 * Debian's checks read every byte of the program, which takes 11 s of processor time: an ordinary run puts a small program of
 * this machine in its place.
 */
function lightenPackage(name: string): string {
  const [files, lighter] = [join(folder, "files"), join(folder, "lighter.deb")];
  const steps = [
    ["dpkg-deb", "--raw-extract", join(folder, name), files],
    ["cp", "--remove-destination", realpathSync("/bin/true"), join(files, "usr/bin/sluice")],
    ["dpkg-deb", "--build", "--root-owner-group", "-Zgzip", files, lighter],
  ];
  for (const step of steps) {
    const { exitCode, stderr } = Bun.spawnSync(step, { stderr: "pipe" });
    if (exitCode !== 0) {
      throw new Error(`${step.join(" ")} failed: ${stderr.toString()}`);
    }
  }
  return lighter;
}

testUnless(
  unlessInstalled("dpkg-deb", "lintian"),
  "Debian's checks find nothing wrong with the package, apart from what it gives a reason for",
  async () => {
    const name = await builtPackage();
    const checked = unlessFull === null ? join(folder, name) : lightenPackage(name);
    const check = startProgram({ command: ["lintian", "--fail-on", "error,warning", checked], env: {} });
    const code = await check.exited;
    expect([code, check.output().replace(/^running with root privileges .*\n/m, "")]).toEqual([0, ""]);
  },
  300_000,
);
