import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { patienceMs } from "../values/patience.ts";
import { createTestAuthority } from "../wire/test-certificates.ts";
import { type Place, thisMachine } from "./place.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "./start-process.ts";

const files = join(repositoryRoot, "deploy/edge");
const portAttemptsMax = 5;

/** nginx with the configuration of `deploy/edge`, verbatim, and its own site. */
export class RunningEdge implements AsyncDisposable {
  readonly folder: string;
  readonly ca: string;
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly program: StartedProgram;
  readonly #address: string;

  private constructor(site: Site, program: StartedProgram) {
    this.folder = site.folder;
    this.ca = site.ca;
    this.plainPort = site.plainPort;
    this.tlsPort = site.tlsPort;
    this.program = program;
    this.#address = site.address;
  }

  /** @param programUrl where the program listens, such as `http://127.0.0.1:3001` */
  static async start(programUrl: string, place: Place = thisMachine): Promise<RunningEdge> {
    for (let attempt = 1; ; attempt += 1) {
      const site = await writeSite(programUrl, place.address);
      const program = startProgram({ command: place.on(nginxCommand(site.folder, "daemon off;")), env: {} });
      const edge = new RunningEdge(site, program);
      const ended = await Promise.race([edge.#untilReady(), program.exited.then(() => "ended" as const)]);
      if (ended !== "ended") {
        return edge;
      }
      rmSync(site.folder, { recursive: true });
      if (attempt === portAttemptsMax) {
        throw new Error(`nginx ended: ${program.output()}`);
      }
    }
  }

  get url(): string {
    return `https://${this.#address}:${this.tlsPort}`;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { redirect: "manual", ...init, tls: { ca: this.ca } });
  }

  accessLog(): string {
    return readFileSync(join(this.folder, "access.log"), "utf8");
  }

  async #untilReady(): Promise<"ready"> {
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      const answer = await this.fetch("/metrics").catch(() => null);
      if (answer !== null) {
        await answer.body?.cancel();
        return "ready";
      }
      await Bun.sleep(10);
    }
    throw new Error(`nginx was not ready: ${this.program.output()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.program.signal("SIGTERM");
    await this.program.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Site = {
  readonly folder: string;
  readonly ca: string;
  readonly address: string;
  readonly plainPort: number;
  readonly tlsPort: number;
};

/** The arguments of nginx, to run or, with `-t`, to check the configuration of the folder. */
export function nginxCommand(folder: string, directives: string): string[] {
  const own = `pid ${folder}/nginx.pid; ${directives}`;
  return ["nginx", "-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log"), "-g", own];
}

/** A folder with the configuration, in which only the files that are meant to differ from site to site do. */
async function writeSite(programUrl: string, address: string): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-edge-"));
  const [plainPort, tlsPort] = [await findFreePort(), await findFreePort()];
  cpSync(files, folder, { recursive: true });
  const authority = createTestAuthority();
  const { cert, key } = authority.issue({ dns: ["sluice.example"], ip: [address] });
  const write = (name: string, text: string) => writeFileSync(join(folder, "sluice", name), text);
  const rewrite = (name: string, change: (text: string) => string) =>
    write(name, change(readFileSync(join(folder, "sluice", name), "utf8")));
  const listenOn = (port: number) => (text: string) =>
    text.replace(/^listen \[::\].*\n/gm, "").replace(/^listen \d+/gm, `listen ${address}:${port}`);
  rewrite("listen-plain.conf", listenOn(plainPort));
  rewrite("listen-tls.conf", listenOn(tlsPort));
  write("fullchain.pem", cert);
  write("private-key.pem", key);
  writeProgram(folder, programUrl);
  write("log.conf", `access_log ${folder}/access.log edge;\nerror_log ${folder}/error.log warn;\n`);
  return { folder, ca: authority.cert, address, plainPort, tlsPort };
}

function writeProgram(folder: string, programUrl: string): void {
  writeFileSync(join(folder, "sluice/program.conf"), `server ${new URL(programUrl).host};\n`);
}

export type ExchangeOptions = {
  /** The address of the client, one of 127.0.0.0/8. */
  readonly from?: string;
  /**
   * Leaves as soon as one response with a length is complete; without it, everything until the other side ends is kept.
   */
  readonly isOneAnswerEnough?: boolean;
};

/** Sends bytes over a separate TLS connection and returns the response. */
export async function exchangeOverTls(
  edge: RunningEdge,
  request: string,
  { from = "127.0.0.1", isOneAnswerEnough = false }: ExchangeOptions = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = "";
  const options = {
    hostname: "127.0.0.1",
    port: edge.tlsPort,
    localAddress: from,
    tls: { ca: edge.ca },
    socket: {
      handshake: (socket: Bun.Socket<undefined>) => {
        socket.write(request);
      },
      data: (socket: Bun.Socket<undefined>, bytes: Uint8Array) => {
        received += Buffer.from(bytes).toString("latin1");
        if (isOneAnswerEnough && isWhole(received)) {
          socket.end();
          resolve(received);
        }
      },
      close: () => resolve(received),
      error: (_: unknown, error: Error) => reject(error),
      connectError: (_: unknown, error: Error) => reject(error),
    },
  };
  await Bun.connect(options);
  return await promise;
}

function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
  return headEnd !== -1 && length !== undefined && answer.length >= headEnd + 4 + Number(length);
}
