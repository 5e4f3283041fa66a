import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { startProgram } from "../service/start-process.ts";

export type PlainNginx = { readonly port: number; stop(): Promise<void> };

/** nginx as it is without a configuration of ours: it passes every request on to this port. */
export async function startPlainNginx(serverPort: number): Promise<PlainNginx> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-nginx-"));
  const port = await findFreePort();
  const proxy = `proxy_pass http://127.0.0.1:${serverPort}; proxy_http_version 1.1; proxy_set_header Connection "";`;
  writeFileSync(
    join(folder, "nginx.conf"),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
     events { worker_connections 4096; }
     http {
       access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
       uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       server { listen 127.0.0.1:${port}; location / { ${proxy} } }
     }`,
  );
  const command = ["nginx", "-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const program = startProgram({ command, env: {} });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/up`).then(
      async (answer) => (await answer.text()) !== "",
      () => false,
    );
  for (let tries = 0; !(await isUp()); tries += 1) {
    if (tries === 500) {
      throw new Error(`nginx was not ready: ${program.output()}`);
    }
    await Bun.sleep(10);
  }
  return {
    port,
    stop: async () => {
      program.signal("SIGTERM");
      await program.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
