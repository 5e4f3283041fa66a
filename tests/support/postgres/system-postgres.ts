import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { type Account, chooseAccount, runAs } from "@sluice/deploy/start/postgres/account";

const root = "/usr/lib/postgresql";
/** What the service needs. */
const versionMin = 15;
const owner = "owner";
const password = "of-the-test-0815";

/** The programs of a Postgres that the distribution installed, server and clients of one version; null without one. */
export function findSystemPostgres(): string | null {
  const versions = existsSync(root) ? readdirSync(root).filter((version) => Number(version) >= versionMin) : [];
  const folders = versions.map((version) => join(root, version, "bin"));
  const programs = ["initdb", "pg_ctl", "pg_dump", "pg_restore"];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program)))) ?? null;
}

/** A server of that Postgres, as operators with their own would run it. */
export class SystemPostgres implements AsyncDisposable {
  readonly #bin: string;
  readonly #folder: string;
  readonly #account: Account | null;
  readonly #port: number;

  private constructor(bin: string, folder: string, account: Account | null, port: number) {
    this.#bin = bin;
    this.#folder = folder;
    this.#account = account;
    this.#port = port;
  }

  static async start(bin: string): Promise<SystemPostgres> {
    const folder = mkdtempSync(join(tmpdir(), "sluice-system-postgres-"));
    const account = await chooseAccount(folder);
    writeFileSync(join(folder, "password"), password);
    if (account !== null) {
      chownSync(folder, account.uid, account.gid);
      chownSync(join(folder, "password"), account.uid, account.gid);
    }
    const server = new SystemPostgres(bin, folder, account, await findFreePort());
    const words = [`--pgdata=${folder}/cluster`, `--username=${owner}`, `--pwfile=${folder}/password`, "--no-sync"];
    await server.#run("initdb", [...words, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
    const options = `-p ${server.#port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
    const log = `--log=${folder}/log`;
    await server.#run("pg_ctl", ["start", "--wait", `--pgdata=${folder}/cluster`, log, `--options=${options}`]);
    return server;
  }

  /** A new database. @returns its address for the owner */
  async createDatabase(name: string): Promise<string> {
    const sql = new Bun.SQL({ url: this.#url("postgres"), max: 1 });
    try {
      await sql.unsafe(`create database ${name}`);
    } finally {
      await sql.close();
    }
    return this.#url(name);
  }

  #url(database: string): string {
    return `postgres://${owner}:${password}@127.0.0.1:${this.#port}/${database}`;
  }

  async #run(program: string, words: readonly string[]): Promise<void> {
    const { exitCode, output } = await runAs(this.#account, [join(this.#bin, program), ...words]);
    if (exitCode !== 0) {
      throw new Error(`${program}: ${output}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run("pg_ctl", ["stop", "--wait", "--mode=immediate", `--pgdata=${this.#folder}/cluster`]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
