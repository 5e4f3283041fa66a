import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { providerKey, relayKey } from "../../support/exit-nodes/node-agent.ts";
import {
  type AgentBuilds,
  buildAgents,
  NodeInstallation,
  runtimeSetting,
} from "../../support/exit-nodes/node-installation.ts";
import { describeUnless, testUnless, unlessInstalled } from "../../support/service/obstacles.ts";
import { findProcesses, repositoryRoot } from "../../support/service/start-process.ts";
import { ownRootFault, runAsSystem } from "../../support/service/system-installation.ts";
import { patienceMs } from "../../support/values/patience.ts";

const { version } = JSON.parse(readFileSync(join(repositoryRoot, "node-agent/package.json"), "utf8")) as {
  version: string;
};
const secretPlaces = ["/etc/sluice-node/relay-keys", "/etc/sluice-node/provider-accounts"];

let folder: string;
let builds: AgentBuilds;
let provider: SandboxProvider;

const first = (node: NodeInstallation) => node.run("install.sh", ["--from", builds.older, ...node.input]);

describeUnless(unlessInstalled("bash", "curl", "flock", "setsid"), "the installer of a node", () => {
  let node: NodeInstallation;

  beforeAll(async () => {
    provider = startSandboxProvider();
    folder = mkdtempSync(join(tmpdir(), "sluice-builds-"));
    builds = await buildAgents(folder);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await provider.stop();
  });

  beforeEach(async () => {
    node = await NodeInstallation.create(provider.url);
  });

  afterEach(async () => {
    await node[Symbol.asyncDispose]();
  });

  test("installs an agent that serves, does nothing the second time, and leaves nothing when removed", async () => {
    const before = node.tree();
    const words = ["--binary", builds.binary, "--sha256", builds.sha256, ...node.input];
    const dry = await node.run("install.sh", [...words, "--dry-run"]);
    expect([dry.exitCode, node.tree()]).toEqual([0, before]);
    expect(dry.output).toContain("would     start the agent");

    const installed = await node.run("install.sh", words);
    expect([installed.exitCode, installed.output]).toEqual([
      0,
      expect.stringContaining(`well      version ${version}`),
    ]);
    expect(await node.health()).toEqual({ status: 200, version });
    const answer = await fetch(`http://127.0.0.1:${node.port}/v1/models`, {
      headers: { authorization: `Bearer ${relayKey}` },
    });
    expect([answer.status, answer.headers.get("x-svc-exit-node")]).toEqual([200, "node-a1"]);
    for (const place of secretPlaces) {
      expect(statSync(join(node.root, place)).mode & 0o777).toBe(0o600);
    }
    expect(installed.output).not.toContain(relayKey);
    expect(installed.output).not.toContain(providerKey);

    const pid = readFileSync(join(node.root, "run/sluice-node/agent.pid"), "utf8");
    expect(readFileSync(`/proc/${pid.trim()}/environ`, "utf8").split("\0")).toContain(runtimeSetting);
    const tree = node.tree();
    const again = await node.run("install.sh", words);
    expect([again.exitCode, again.output]).toEqual([0, expect.not.stringContaining("done ")]);
    expect(node.tree()).toEqual(tree);
    expect(readFileSync(join(node.root, "run/sluice-node/agent.pid"), "utf8")).toBe(pid);

    const gone = await node.run("uninstall.sh", []);
    expect(gone.exitCode).toBe(0);
    expect(node.tree()).toEqual(before);
    expect(findProcesses(node.root)).toEqual([]);
    const twice = await node.run("uninstall.sh", []);
    expect([twice.exitCode, twice.output]).toEqual([0, "kept      there is no node agent here\n"]);
  });

  test("upgrades with the existing settings and keys", async () => {
    await first(node);
    const upgraded = await node.run("install.sh", ["--from", builds.newer]);
    expect([upgraded.exitCode, upgraded.output]).toEqual([0, expect.stringContaining("switch to version 99.0.1")]);
    expect(await node.health()).toEqual({ status: 200, version: builds.newerVersion });
  });

  test("goes back to the previous version, with its settings, when the new one does not start", async () => {
    await first(node);
    const tree = node.tree();
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    node.writeEnv(taken.port, new URL(provider.url).host);
    const words = ["--from", builds.newer, "--env", join(node.folder, "env"), "--health-seconds", "3"];
    const failed = await node.run("install.sh", words);
    expect([failed.exitCode, failed.output]).toEqual([1, expect.stringContaining(`Version ${version} runs again.`)]);
    expect(failed.output).toContain(`nobody answered at http://127.0.0.1:${taken.port}`);
    expect(await node.health()).toEqual({ status: 200, version });
    const pidFile = "/run/sluice-node/agent.pid";
    expect({ ...node.tree(), [pidFile]: "" }).toEqual({ ...tree, [pidFile]: "" });
  });

  test("goes back when the new one runs and never becomes healthy", async () => {
    await first(node);
    const broken = node.write(
      "broken",
      '#!/bin/sh\ncase "$1" in --version) echo "sluice-node-agent 9.9.9";; --check-config) ;; *) exec sleep 60;; esac\n',
      0o755,
    );
    const sha256 = new Bun.CryptoHasher("sha256").update(readFileSync(broken)).digest("hex");
    // A name without a folder, as typed in the folder of the file.
    const words = ["--binary", "broken", "--sha256", sha256, "--health-seconds", "3"];
    const failed = await node.run("install.sh", words);
    expect([failed.exitCode, failed.output]).toEqual([1, expect.stringContaining(`Version ${version} runs again.`)]);
    expect(await node.health()).toEqual({ status: 200, version });
    expect(findProcesses("9.9.9")).toEqual([]);
  });

  test("leaves nothing running when the first installation fails", async () => {
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    node.writeEnv(taken.port, new URL(provider.url).host);
    const failed = await node.run("install.sh", ["--from", builds.older, ...node.input, "--health-seconds", "3"]);
    expect([failed.exitCode, failed.output]).toEqual([1, expect.stringContaining("so nothing runs")]);
    expect(findProcesses(node.root)).toEqual([]);
    expect(Object.values(node.tree()).join()).not.toContain(relayKey);
  });

  testUnless(ownRootFault(), "goes back when systemd can't start the new one", async () => {
    const install = `bash "${repositoryRoot}/deploy/node/install.sh" --health-seconds 1`;
    const output = await runAsSystem(node.folder, repositoryRoot, [
      `cp -r ${builds.older} ${builds.newer} .`,
      `${install} --from older --env env --relay-keys relay-keys --accounts accounts --health-seconds 30; echo "code $?"`,
      "echo 99.0.1 >/run/refuse-start",
      `${install} --from newer; echo "code $?"`,
      `curl --silent --noproxy '*' http://127.0.0.1:${node.port}/health`,
    ]);
    expect(output).toMatch(
      /well {6}version 0.*code 0.*Version 99\.0\.1 did not become healthy\. Version 0\S+ runs again\..*code 1\n\{"ok":true\}/s,
    );
  });

  test("refuses invalid settings, and the running version does not notice", async () => {
    await first(node);
    const tree = node.tree();
    const bad = node.write("bad-env", "PORT=1\nALLOWED_PROVIDER_HOSTS=a.example\n");
    const wrong: readonly (readonly [RegExp, ...string[]])[] = [
      [/does not have the checksum/, "--binary", bad, "--sha256", "0".repeat(64)],
      [/needs --sha256/, "--binary", bad],
      [/NODE_CODE is not set/, "--from", builds.older, "--env", bad],
      [/The folder nowhere is missing/, "--from", "nowhere"],
      [/nothing is missing/, "--from", builds.older, "--env", "nothing"],
      [/Unknown option --colour/, "--from", builds.older, "--colour"],
    ];
    for (const [reason, ...words] of wrong) {
      const refused = await node.run("install.sh", words);
      expect([refused.exitCode, refused.output]).toEqual([1, expect.stringMatching(reason)]);
    }
    expect(node.tree()).toEqual(tree);
    expect(await node.health()).toEqual({ status: 200, version });
  });

  test("finishes what a killed upgrade began", async () => {
    await first(node);
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const good = readFileSync(join(node.folder, "env"), "utf8");
    node.writeEnv(taken.port, new URL(provider.url).host);
    const words = ["--from", builds.newer, "--env", join(node.folder, "env"), "--health-seconds", "60"];
    const upgrade = Bun.spawn(["bash", join(repositoryRoot, "deploy/node/install.sh"), ...words, "--root", node.root], {
      stdout: "pipe",
      stderr: "ignore",
    });
    for await (const part of upgrade.stdout) {
      if (Buffer.from(part).includes("start the agent")) {
        upgrade.kill("SIGKILL");
        break;
      }
    }
    await upgrade.exited;
    const repeat = () => node.run("install.sh", ["--from", builds.newer]);
    let again = await repeat();
    // What the killed one has started may still hold its lock for a moment.
    for (
      const deadline = Date.now() + patienceMs;
      again.output.includes("Another installation") && Date.now() < deadline;
    ) {
      again = await repeat();
    }
    expect([again.exitCode, again.output]).toEqual([0, expect.stringContaining("well ")]);
    expect(await node.health()).toEqual({ status: 200, version: builds.newerVersion });
    expect(node.tree()["/etc/sluice-node/agent.env"]).toBe(good);
  });

  test("does the same over SSH, with no secret in a command line", async () => {
    const bin = join(node.folder, "bin");
    mkdirSync(bin);
    // Passes the words on as ssh does: joined by blanks, to a shell on the other side. It records them, too.
    node.write(
      "bin/ssh",
      `#!/bin/sh\nshift 3\nprintf '%s\\n' "$*" >>${node.folder}/words\ncd /\nexec sh -c "$*"\n`,
      0o755,
    );
    node.write("bin/sudo", '#!/bin/sh\nshift\nexec "$@"\n', 0o755);
    const path = { path: bin };
    const words = ["--from", builds.older, ...node.input, "--host", "root@node-a1.example"];
    const installed = await node.run("install.sh", words, path);
    expect([installed.exitCode, installed.output]).toEqual([
      0,
      expect.stringContaining(`well      version ${version}`),
    ]);
    expect(await node.health()).toEqual({ status: 200, version });
    const gone = await node.run("uninstall.sh", ["--host", "root@node-a1.example"], path);
    expect([gone.exitCode, await node.health()]).toEqual([0, null]);
    const sent = readFileSync(join(node.folder, "words"), "utf8");
    expect(sent).not.toContain(relayKey);
    expect(sent).not.toContain(providerKey);
  });

  test("rotates the relay key in an order in which the control plane always has a valid one", async () => {
    await first(node);
    const nextFile = join(node.root, "etc/sluice-node/relay-keys.next");
    const call = (relay: string) =>
      fetch(`http://127.0.0.1:${node.port}/v1/models`, { headers: { authorization: `Bearer ${relay}` } });

    expect((await node.run("rotate-relay-key.sh", ["begin"])).exitCode).toBe(0);
    const key = readFileSync(nextFile, "utf8").trim();
    expect(key).not.toBe(relayKey);
    expect(statSync(nextFile).mode & 0o777).toBe(0o600);
    expect([(await call(relayKey)).status, (await node.health(key))?.status]).toEqual([200, 200]);
    // Once more, as after an interruption: still the same key.
    const again = await node.run("rotate-relay-key.sh", ["begin"]);
    expect([again.exitCode, readFileSync(nextFile, "utf8").trim()]).toEqual([0, key]);

    const unused = await node.run("rotate-relay-key.sh", ["finish"]);
    expect([unused.exitCode, unused.output]).toEqual([1, expect.stringContaining("Nobody has used the new key yet")]);
    expect((await call(key)).status).toBe(200);
    const inUse = await node.run("rotate-relay-key.sh", ["finish"]);
    expect([inUse.exitCode, inUse.output]).toEqual([1, expect.stringContaining("The old key may have been used")]);
    const status = await node.run("rotate-relay-key.sh", ["status"]);
    expect(status.output).toMatch(/uses 1, the last one \d+ s ago\n.*uses 1, the last one \d+ s ago\n/);

    const finished = await node.run("rotate-relay-key.sh", ["finish", "--quiet-seconds", "0"]);
    expect([finished.exitCode, finished.output]).toEqual([0, expect.stringContaining("only the new key")]);
    expect([(await call(key)).status, (await call(relayKey)).status]).toEqual([200, 401]);
    expect(Object.keys(node.tree())).not.toContain("/etc/sluice-node/relay-keys.next");
    expect((await node.run("rotate-relay-key.sh", ["finish"])).output).toContain("nothing to finish");
    for (const { output } of [again, unused, inUse, status, finished]) {
      expect(output).not.toContain(key);
    }
  });

  test("reverts a rotation as long as nobody uses the new key", async () => {
    await first(node);
    const short = await node.run("rotate-relay-key.sh", ["begin", "--key-file", node.write("short", "short\n")]);
    expect([short.exitCode, short.output]).toEqual([1, expect.stringContaining("32 to 256")]);
    await node.run("rotate-relay-key.sh", ["begin"]);
    const key = readFileSync(join(node.root, "etc/sluice-node/relay-keys.next"), "utf8").trim();
    const keysFile = join(node.folder, "relay-keys");
    const replaced = await node.run("install.sh", ["--from", builds.older, "--relay-keys", keysFile]);
    expect([replaced.exitCode, replaced.output]).toEqual([1, expect.stringContaining("rotation of the relay key")]);
    const status = await node.run("rotate-relay-key.sh", ["status"]);
    expect(status.output).toMatch(/^key {7}[0-9a-f]{8}: (not used since|uses \d)/);
    expect((await node.run("rotate-relay-key.sh", ["abort"])).exitCode).toBe(0);
    expect([(await node.health())?.status, (await node.health(key))?.status]).toEqual([200, 401]);
  });

  test("completes a rotation that was killed between the file and the agent, and touches nothing in a dry run", async () => {
    await first(node);
    await node.run("rotate-relay-key.sh", ["begin"]);
    const keysFile = join(node.root, "etc/sluice-node/relay-keys");
    const key = readFileSync(`${keysFile}.next`, "utf8").trim();
    writeFileSync(keysFile, `${key}\n`);
    const before = node.tree();
    expect((await node.run("rotate-relay-key.sh", ["finish", "--dry-run"])).exitCode).toBe(0);
    expect([node.tree(), (await node.health())?.status]).toEqual([before, 200]);
    expect((await node.run("rotate-relay-key.sh", ["finish"])).exitCode).toBe(0);
    expect([(await node.health())?.status, (await node.health(key))?.status]).toEqual([401, 200]);
    expect(Object.keys(node.tree())).not.toContain("/etc/sluice-node/relay-keys.next");
    // What an interrupted installation set aside would undo the next exchange.
    writeFileSync(`${keysFile}.before`, "");
    const refused = await node.run("rotate-relay-key.sh", ["begin"]);
    expect([refused.exitCode, refused.output]).toEqual([1, expect.stringContaining("install.sh again")]);
  });

  test.each([
    ["a host that is an option", ["--host", "-oProxyCommand=touch /tmp/never"]],
    ["a host in two lines", ["--host", "a@b\nc"]],
    ["a folder in two lines", ["--root", "a\nb"]],
  ])("refuses %s", async (_name, words) => {
    for (const script of ["install.sh", "uninstall.sh", "rotate-relay-key.sh"]) {
      const action = script === "rotate-relay-key.sh" ? ["status"] : [];
      // The last --root counts, and `run` adds one.
      const refused = await node.runExactly(script, [...action, ...words]);
      expect([refused.exitCode, refused.output]).toEqual([1, expect.stringMatching(/--(host|root) must/)]);
    }
    expect(Object.keys(node.tree())).toEqual([]);
  });

  test("works in a folder with blanks and quotes in its name", async () => {
    await using odd = await NodeInstallation.create(provider.url, `it's "odd" $HOME \\ -`);
    expect((await first(odd)).exitCode).toBe(0);
    expect((await odd.health())?.version).toBe(version);
    expect((await odd.run("rotate-relay-key.sh", ["begin"])).exitCode).toBe(0);
    expect((await odd.run("uninstall.sh", [])).exitCode).toBe(0);
    expect(await odd.health()).toBeNull();
  });
});
