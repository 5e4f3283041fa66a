import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { nginxCommand, RunningEdge } from "./edge.ts";
import { type Obstacle, unlessInstalled } from "./obstacles.ts";
import { type Place, thisMachine } from "./place.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "./start-process.ts";

/** What two instances behind an edge, and `upgrade.sh`, need of the machine. */
export const unlessUpgradable: Obstacle = unlessInstalled("bash", "nginx", "curl", "flock", "setsid");

/** Two instances of the service behind an edge, which names `a`; neither runs at first. */
export class UpgradeScene {
  readonly folder: string;
  readonly edge: RunningEdge;
  readonly #place: Place;

  private constructor(folder: string, edge: RunningEdge, place: Place) {
    this.folder = folder;
    this.edge = edge;
    this.#place = place;
  }

  /**
   * @param environment of both instances, beside their folder of data
   * @param place the host of all of it
   */
  static async start(environment: Readonly<Record<string, string>>, place: Place = thisMachine): Promise<UpgradeScene> {
    const folder = mkdtempSync(join(tmpdir(), "sluice-upgrade-"));
    const ports = { a: await findFreePort(), b: await findFreePort() };
    for (const [instance, port] of Object.entries(ports)) {
      writeFileSync(join(folder, `instance-${instance}.env`), `PORT=${port}\n`);
    }
    writeServiceScripts(folder, { ...environment, DATA_DIR: join(folder, "data") });
    return new UpgradeScene(folder, await RunningEdge.start(`http://127.0.0.1:${ports.a}`, place), place);
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** What an instance wrote. */
  logOf(instance: "a" | "b"): string {
    return readFileSync(this.file(`${instance}.log`), "utf8");
  }

  /** Runs `upgrade.sh`. */
  upgrade(release: string, ...words: readonly string[]): StartedProgram {
    const { folder, edge } = this;
    const test = nginxCommand(edge.folder, "").map((word) => `'${word}'`);
    writeFileSync(this.file("test-edge.sh"), `exec ${test.join(" ")} -t\n`);
    const places = [
      ...["--links", folder, "--settings", folder, "--edge-program", join(edge.folder, "sluice/program.conf")],
      ...["--edge-test", `sh ${this.file("test-edge.sh")}`, "--edge-reload", `kill -HUP ${edge.program.pid}`],
      ...["--edge-pid", join(edge.folder, "nginx.pid")],
      ...["--start", `sh ${this.file("start.sh")}`, "--stop", `sh ${this.file("stop.sh")}`],
    ];
    return startProgram({
      command: this.#place.on(["bash", join(repositoryRoot, "deploy/control-plane/upgrade.sh"), "--release", release]),
      words: [...places, ...words],
      env: {},
    });
  }

  /** A call over a separate connection: an idle connection that the edge closes in a reload is not a call. */
  async call(apiKey: string, stream: boolean, text = "hello"): Promise<{ status: number; body: string }> {
    const answer = await this.edge.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content: text }] }),
      keepalive: false,
    });
    return { status: answer.status, body: await answer.text() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const instance of ["a", "b"].filter((name) => existsSync(this.file(`${name}.pid`)))) {
      await startProgram({ command: ["sh", this.file("stop.sh"), instance], env: {} }).exited;
    }
    await this.edge[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What systemd does, as two scripts: an instance runs from its link, with the settings of its file. */
function writeServiceScripts(folder: string, environment: Readonly<Record<string, string>>): void {
  const words = Object.entries(environment).map(([name, value]) => `${name}='${value}'`);
  const start = [
    `cd '${folder}'/$1`,
    `. '${folder}'/instance-$1.env`,
    `program="'${process.execPath}' deploy/start/main.ts"`,
    'test ! -x sluice || program="./sluice start"',
    `eval "exec setsid env ${words.join(" ")} PORT=$PORT $program" >>'${folder}'/$1.log 2>&1 </dev/null &`,
    `echo $! >'${folder}'/$1.pid`,
  ];
  const stop = [
    `pid=$(cat '${folder}'/$1.pid)`,
    "kill -TERM $pid 2>/dev/null",
    "while kill -0 $pid 2>/dev/null; do sleep 0.05; done",
  ];
  writeFileSync(join(folder, "start.sh"), `${start.join("\n")}\n`);
  writeFileSync(join(folder, "stop.sh"), `${stop.join("\n")}\n`);
}
