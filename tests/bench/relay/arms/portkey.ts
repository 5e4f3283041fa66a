import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Arm } from "../arm.ts";
import { startOnArmCore } from "../child-process.ts";
import { chatHeaders } from "../load/chat-request.ts";

/** Manifest and lock file under other names, because its packages belong to the comparison and not to the workspace. */
const lockedFolder = join(import.meta.dir, "../portkey");
const installFolder = join(import.meta.dir, "../../../../.data/bench/portkey");

/** Portkey's gateway as its npm package comes, with the two packages pinned without which its streams answer 500. */
export const portkeyArm: Arm = {
  name: "portkey",
  title: "Portkey 1.15.2",
  converts: false,
  async prepare() {
    if (Bun.which("node") === null) {
      return "node is not installed (Portkey's gateway runs on Node)";
    }
    mkdirSync(installFolder, { recursive: true });
    copyFileSync(join(lockedFolder, "manifest.json"), join(installFolder, "package.json"));
    copyFileSync(join(lockedFolder, "packages.lock"), join(installFolder, "bun.lock"));
    const install = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
      cwd: installFolder,
      stdout: "ignore",
    });
    return install.success ? null : `its packages could not be installed: ${install.stderr.toString().trim()}`;
  },
  async start(site) {
    const port = await findFreePort();
    const server = await startOnArmCore({
      name: "Portkey",
      command: ["node", "node_modules/@portkey-ai/gateway/build/start-server.js", "--headless", `--port=${port}`],
      port,
      cwd: installFolder,
      logFile: join(site.folder, "portkey.log"),
    });
    return {
      port,
      path: "/v1/chat/completions",
      headers: [
        ...chatHeaders("sk-bench"),
        ["x-portkey-provider", "openai"],
        ["x-portkey-custom-host", `http://127.0.0.1:${site.providerPort}/v1`],
      ],
      pid: server.pid,
      companions: [],
      books: null,
      stop: server.stop,
    };
  },
};
