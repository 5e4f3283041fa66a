import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Arm } from "../arm.ts";
import { startOnArmCore } from "../child-process.ts";
import { withoutBooks } from "./without-books.ts";

/** nginx with one worker as a plain proxy, without any limit that would make it reopen connections. */
export const nginxArm: Arm = {
  name: "nginx",
  title: "nginx, 1 worker",
  converts: false,
  async prepare() {
    return nginxPath() === null ? "nginx is not installed (package nginx)" : null;
  },
  async start(site) {
    const port = await findFreePort();
    const folder = join(site.folder, "nginx");
    mkdirSync(folder, { recursive: true });
    const configuration = join(folder, "nginx.conf");
    await Bun.write(configuration, nginxConfiguration({ port, providerPort: site.providerPort, folder }));
    const server = await startOnArmCore({
      name: "nginx",
      command: [nginxPath() ?? "nginx", "-p", folder, "-c", configuration, "-e", join(folder, "error.log")],
      port,
      cwd: folder,
      logFile: join(folder, "output.log"),
    });
    return withoutBooks(server, port, "sk-bench");
  },
};

function nginxPath(): string | null {
  const { PATH } = process.env;
  return Bun.which("nginx", { PATH: `${PATH ?? ""}:/usr/sbin:/usr/local/sbin` });
}

function nginxConfiguration(options: { port: number; providerPort: number; folder: string }): string {
  const { port, providerPort, folder } = options;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
    .join("\n");
  return `worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
worker_rlimit_nofile 8192;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
${temporary}
  upstream provider {
    server 127.0.0.1:${providerPort};
    keepalive 2048;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
