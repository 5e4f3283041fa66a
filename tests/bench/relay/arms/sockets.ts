import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Arm } from "../arm.ts";
import { startOnArmCore } from "../child-process.ts";
import { withoutBooks } from "./without-books.ts";

/** Bytes passed on between sockets of the runtime, unread: less than that no gateway on this runtime can take. */
export const socketsArm: Arm = {
  name: "sockets",
  title: "sockets alone",
  converts: false,
  async prepare() {
    return null;
  },
  async start(site) {
    const port = await findFreePort();
    const server = await startOnArmCore({
      name: "the program that passes bytes on",
      command: [process.execPath, join(import.meta.dir, "pass-bytes-on.ts"), String(port), String(site.providerPort)],
      port,
      cwd: site.folder,
      logFile: join(site.folder, "sockets.log"),
    });
    return withoutBooks(server, port, "sk-bench");
  },
};
