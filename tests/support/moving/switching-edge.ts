import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { startProgram } from "../service/start-process.ts";

/** nginx in front of one of two services; a reload lets the calls that run end where they are. */
export class SwitchingEdge {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #program: ReturnType<typeof startProgram>;

  private constructor(folder: string, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#port = port;
    this.#program = startProgram({ command: ["nginx", ...this.#place()], env: {} });
  }

  static async start(target: string): Promise<SwitchingEdge> {
    const folder = mkdtempSync(join(tmpdir(), "sluice-switching-"));
    const port = await findFreePort();
    writeFileSync(join(folder, "nginx.conf"), configuration({ folder, port, target }));
    const edge = new SwitchingEdge(folder, port);
    const isUp = () =>
      fetch(`${edge.url}/up`).then(
        () => true,
        () => false,
      );
    for (let tries = 0; !(await isUp()); tries += 1) {
      if (tries === 500) {
        throw new Error(`nginx was not ready: ${edge.#program.output()}`);
      }
      await Bun.sleep(10);
    }
    return edge;
  }

  /** Gives new calls to another service, as an operator does. */
  async switchTo(target: string): Promise<void> {
    writeFileSync(join(this.#folder, "nginx.conf"), configuration({ folder: this.#folder, port: this.#port, target }));
    const reload = Bun.spawn(["nginx", ...this.#place(), "-s", "reload"], { stdout: "ignore", stderr: "pipe" });
    if ((await reload.exited) !== 0) {
      throw new Error(`nginx did not reload: ${await new Response(reload.stderr).text()}`);
    }
  }

  async stop(): Promise<void> {
    this.#program.signal("SIGTERM");
    await this.#program.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #place(): string[] {
    return ["-p", this.#folder, "-c", join(this.#folder, "nginx.conf"), "-e", join(this.#folder, "error.log")];
  }
}

type Place = { readonly folder: string; readonly port: number; readonly target: string };

function configuration({ folder, port, target }: Place): string {
  const proxy = `proxy_pass ${target}; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;`;
  return `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
      server { listen 127.0.0.1:${port}; location / { ${proxy} } }
    }`;
}
