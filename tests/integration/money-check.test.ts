import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@sluice/control-plane/db/migrate.ts";
import { MoneyCheck } from "@sluice/control-plane/ledger/money-check.ts";
import { moneyCheckEndpoints } from "@sluice/control-plane/ledger/routes.ts";
import { createLog, type LogFields } from "@sluice/control-plane/platform/log.ts";
import { startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";
import { Registry } from "prom-client";
import { serveEndpoints } from "../support/service/endpoint-server.ts";
import { repositoryRoot, startProgram } from "../support/service/start-process.ts";
import { SettlementScene } from "../support/usage/settlement-scene.ts";

const command = [process.execPath, join(repositoryRoot, "deploy/start/audit.ts")];
let scene: SettlementScene;

beforeAll(async () => {
  scene = await SettlementScene.create(2);
  await scene.commit(scene.row(0, 1_000n, "1.5"), scene.row(1, 700n, "0.9"));
  await scene.run();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

async function audit(env: Record<string, string>): Promise<{ exitCode: number; output: string }> {
  const program = startProgram({ command, env });
  const exitCode = await program.exited;
  return { exitCode, output: program.output() };
}

/** The selects that a function joins by union, not counting those in parentheses, texts and comments. */
function countBranches(source: string): number {
  let flat = source.replace(/--.*$/gm, "").replace(/'(?:[^']|'')*'/g, "");
  for (let before = ""; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, "");
  }
  return flat.split(/\bunion all\b/i).length;
}

/** Takes five from the grants of a budget while the work runs, bypassing all functions. */
async function whileViolated(work: () => Promise<void>): Promise<void> {
  const { userBudgetId } = scene.customer(0);
  await scene.owner.sql`update budget set granted = granted - 5 where id = ${userBudgetId}::bigint`;
  try {
    await work();
  } finally {
    await scene.owner.sql`update budget set granted = granted + 5 where id = ${userBudgetId}::bigint`;
  }
}

describe("bun run audit", () => {
  test("names every invariant with what it checked, and all of them hold", async () => {
    const { exitCode, output } = await audit({ DATABASE_URL: scene.database.url });
    const functions = await scene.db.sql<{ source: string }>`
      select prosrc as source from pg_proc where proname like 'check\\_money\\_%'`;
    const count = functions.reduce((sum, { source }) => sum + countBranches(source), 0);
    expect(count).toBeGreaterThan(20);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(`${count} invariants, 0 violated`)]);
    expect(output.match(/: holds$/gm)).toHaveLength(count);
    expect(output).toContain("settled is base times multiplier, rounded up (2 rows of usage_settlement): holds");
    expect(output).toContain("used equals the sum of usage rows (4 rows of budget): holds");
  });

  test("shows what is violated and where, and fails", async () => {
    await whileViolated(async () => {
      const { exitCode, output } = await audit({ DATABASE_URL: scene.database.url });
      expect(exitCode).toBe(1);
      expect(output).toContain("granted equals the sum of grants (4 rows of budget): VIOLATED 1 times");
      expect(output).toContain(`    budget ${scene.customer(0).userBudgetId}: `);
      expect(output).toMatch(/an account says what its user was granted and has settled.*: VIOLATED 1 times/);
      expect(output).toMatch(/ invariants, 2 violated/);
    });
  });

  test("finds the embedded database, whether it runs or not", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-audit-"));
    try {
      const none = await audit({ DATA_DIR: folder });
      expect([none.exitCode, none.output]).toEqual([1, expect.stringContaining("There is no database yet")]);
      const server = await startEmbeddedPostgres({ home: join(folder, "postgres"), isDurable: false });
      try {
        await migrate(server.url, () => undefined);
        const running = await audit({ DATA_DIR: folder });
        expect([running.exitCode, running.output]).toEqual([0, expect.stringContaining(" invariants, 0 violated")]);
      } finally {
        await server.stop();
      }
      const stopped = await audit({ DATA_DIR: folder });
      expect([stopped.exitCode, stopped.output]).toEqual([0, expect.stringContaining(" invariants, 0 violated")]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("the nightly check", () => {
  test("reports violations in the log and in the gauge, until they are fixed", async () => {
    const lines: LogFields[] = [];
    const log = createLog("debug", (line) => lines.push(JSON.parse(line) as LogFields));
    const registry = new Registry();
    const check = new MoneyCheck({ db: scene.db, log, registry });
    const gauge = async () => (await registry.getSingleMetric("sluice_money_violations")?.get())?.values[0]?.value;
    await check.runJob();
    expect([await gauge(), lines]).toEqual([0, []]);
    await whileViolated(async () => {
      await check.runJob();
      expect(await gauge()).toBe(2);
      expect(lines).toEqual([expect.objectContaining({ level: "error", event: "money.violated", violations: 2 })]);
      expect(JSON.stringify(lines)).toContain(`budget ${scene.customer(0).userBudgetId}`);
    });
    await check.runJob();
    expect([await gauge(), lines.length]).toEqual([0, 1]);
  });
});

describe("GET /backend/admin/money-check/", () => {
  const log = createLog("error", () => undefined);

  test("shows admins what is violated, and others nothing", async () => {
    const check = new MoneyCheck({ db: scene.db, log, registry: new Registry() });
    const http = serveEndpoints(moneyCheckEndpoints(check));
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`${http.url}/backend/admin/money-check/`, { headers });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    try {
      const plain = { "x-test-admin": "plain" };
      expect(await ask(plain)).toMatchObject({ status: 200, body: { ok: true, holds: true, violations: [] } });
      await whileViolated(async () => {
        const { body } = await ask(plain);
        expect(body).toMatchObject({ holds: false, count: 2 });
        expect(body["violations"]).toContainEqual({
          invariant: "granted equals the sum of grants",
          subject: `budget ${scene.customer(0).userBudgetId}`,
          detail: expect.any(String),
        });
      });
      expect((await ask({})).status).toBe(401);
      expect((await ask({ "x-test-user": "17" })).status).toBe(401);
    } finally {
      await http.stop();
    }
  });

  test("gives up in time and points to the command", async () => {
    const check = new MoneyCheck({ db: scene.db, log, registry: new Registry() });
    const http = serveEndpoints(moneyCheckEndpoints(check, 200));
    try {
      const answer = await scene.owner.withTransaction(async (tx) => {
        await tx.sql`lock table budget in access exclusive mode`;
        return await fetch(`${http.url}/backend/admin/money-check/`, { headers: { "x-test-admin": "super" } });
      });
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        error: { code: "temporarily_unavailable", message: expect.stringContaining("`audit`") },
      });
    } finally {
      await http.stop();
    }
  });
});
