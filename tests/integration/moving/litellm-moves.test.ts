import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImportReport } from "@sluice/control-plane/moving/service.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLiteLlm, liteKeys, type MoveOptions, move, storeLiteSaltKey } from "../../support/moving/peers.ts";
import { createTestDatabase } from "../../support/postgres/test-database.ts";

let folder: string;
let saltKeyFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-litellm-"));
  saltKeyFile = await storeLiteSaltKey(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Moves into a database of its own. */
async function moved<Result>(
  work: (
    db: ReturnType<typeof openDatabase>,
    moving: (options?: MoveOptions) => Promise<ImportReport>,
  ) => Promise<Result>,
): Promise<Result> {
  await using database = await createTestDatabase();
  await using source = await createLiteLlm();
  const db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  try {
    return await work(db, (options = {}) => move(db, "litellm", { from: source.url, saltKeyFile, ...options }));
  } finally {
    await db.close(500);
  }
}

describe("a move from LiteLLM", () => {
  test("that is rehearsed keeps nothing, and one that is repeated changes nothing", async () => {
    await moved(async (db, moving) => {
      const rehearsed = await moving({ isApplied: false });
      expect(rehearsed.counts.get("users")).toMatchObject({ made: 7 });
      expect(await db.sql`select from import_item`).toHaveLength(0);
      const first = await moving();
      expect(first.counts).toEqual(
        rehearsed.counts
          .entries()
          .filter(([name]) => name !== "codes")
          .reduce((all, [name, counts]) => all.set(name, counts), new Map()),
      );
      const again = await moving();
      expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
      expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
    });
  });

  test("ends what was deleted or blocked there since: keys, teams with their balances, and the report names members who left", async () => {
    await using source = await createLiteLlm();
    await moved(async (db, moving) => {
      await moving({ from: source.url });
      await source.change(
        `delete from "LiteLLM_VerificationToken" where key_alias = 'alice-limited' or team_id = 'team-services'`,
      );
      await source.change(`delete from "LiteLLM_TeamTable" where team_id = 'team-services'`);
      await source.change(`update "LiteLLM_TeamTable" set blocked = true, team_alias = 'Renamed',
        members_with_roles = '[{"user_id": "8f1c0a52-alice", "role": "admin"}]' where team_id = 'team-research'`);
      const { findings, counts } = await moving({ from: source.url });
      expect(counts.get("deleted")).toMatchObject({ changed: 3 });
      expect(counts.get("organisations")).toMatchObject({ changed: 1 });
      const [key] = await db.sql<{ status: string }>`
        select status from api_key where key_hash = sha256(${liteKeys.aliceLimited}::bytea)`;
      expect(key?.status).toBe("revoked");
      const teams = await db.sql<{ name: string; status: string; state: string; granted: bigint }>`
        select o.name, o.status, u.status as state, b.granted from import_item i
        join organisation o on o.id = i.target::bigint join gateway_user u on u.id = o.gateway_user_id
        join budget b on b.gateway_user_id = u.id
        where i.kind = 'organisation' and i.source_id in ('team-services', 'team-research') order by i.source_id`;
      expect([...teams]).toEqual([
        expect.objectContaining({ name: "Renamed", status: "suspended", state: "disabled" }),
        { name: "Services", status: "suspended", state: "disabled", granted: 0n },
      ]);
      const ofTeam = findings.filter(({ table, id }) => table === "organisations" && id === "team-research");
      expect(ofTeam).toEqual([
        expect.objectContaining({
          level: "decide",
          text: expect.stringContaining('"bob@example.com" has left it there'),
        }),
      ]);
      expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
      const again = await moving({ from: source.url });
      expect([...again.counts.values()].every(({ made, changed, kept }) => made + changed + kept === 0)).toBe(true);
    });
  });

  test("grants accounts without a budget what the operator says", async () => {
    await moved(async (db, moving) => {
      await moving({ grantUsd: "2.50" });
      const [bob] = await db.sql<{ granted: bigint }>`
        select b.granted from budget b join user_profile p on p.gateway_user_id = b.gateway_user_id
        where p.email = 'bob@example.com'`;
      expect(bob?.granted).toBe(1_250_000n);
      expect(moving({ grantUsd: "lots" })).rejects.toThrow("--grant");
    });
  });

  test("without the right salt key leaves its models out and says which key it wants", async () => {
    await moved(async (db, moving) => {
      const wrong = join(folder, "wrong-key");
      await writeFile(wrong, "sk-another");
      const { findings } = await moving({ saltKeyFile: wrong });
      const texts = findings.filter(({ table }) => table === "ProxyModelTable").map(({ text }) => text);
      expect(texts).toHaveLength(8);
      expect(texts.every((text) => text.includes("The salt key is not the one"))).toBe(true);
      expect(await db.sql`select from channel`).toHaveLength(0);
    });
  });

  test("takes the price of the deployment that its order puts first", async () => {
    await using source = await createLiteLlm();
    await source.change(`update "LiteLLM_ProxyModelTable" set model_id = 'm-0' where model_id = 'm-3'`);
    await moved(async (db, moving) => {
      await moving({ from: source.url });
      const [price] = await db.sql<{ input: string }>`
        select trim_scale(input_usd_per_m) as input from model_price where model = 'gpt-4o'`;
      expect(price?.input).toBe("2.5");
    });
  });

  test("takes models of a configuration file, and prices of the running program", async () => {
    await moved(async (db, moving) => {
      const [configFile, optionsFile] = [join(folder, "config.yaml"), join(folder, "info.json")];
      await writeFile(
        configFile,
        [
          "model_list:",
          "  - model_name: local",
          "    litellm_params: { model: openai/llama, api_base: 'http://llm.internal.example/v1', api_key: os.environ/LLM_KEY }",
          "  - model_name: '*'",
          "    litellm_params: { model: '*' }",
          "general_settings: { master_key: sk-1234 }",
        ].join("\n"),
      );
      const info = { input_cost_per_token: 1e-7, output_cost_per_token: 0.0000004, max_output_tokens: 4096 };
      const data = [{ model_name: "local", litellm_params: {}, model_info: info }];
      await writeFile(optionsFile, JSON.stringify({ data }));
      const { findings } = await moving({ configFile, optionsFile });
      const [local] = await db.sql<{ input: string; output: string; tokens: number }>`
        select trim_scale(p.input_usd_per_m) as input, trim_scale(p.output_usd_per_m) as output, m.output_tokens_max as tokens
        from model_price p join model m on m.name = p.model where p.model = 'local'`;
      expect(local).toEqual({ input: "0.1", output: "0.4", tokens: 4_096 });
      expect(findings.some(({ text }) => text.includes("in the variable LLM_KEY"))).toBe(true);
      expect(findings.some(({ id, text }) => id === "config:2" && text.includes("every model like *"))).toBe(true);
      await writeFile(configFile, "model_list: [{SECRET");
      expect(moving({ configFile })).rejects.toThrow("the file is not YAML");
    });
  });

  test("is refused for a database of another program", async () => {
    await moved(async (_, moving) => {
      await using other = await createTestDatabase();
      expect(moving({ from: other.url })).rejects.toThrow("not a database of LiteLLM");
    });
  });
});

describe("the history of calls in LiteLLM", () => {
  test("is added up before it is rounded, and odd rows and users who are gone are in the report", async () => {
    await using peer = await createLiteLlm();
    await peer.change(`
      insert into "LiteLLM_DailyUserSpend"
          (id, user_id, date, api_key, model, custom_llm_provider, spend, successful_requests, updated_at)
        select 'small-' || n, 'carol', '2026-11-01', 'key-' || n, 'tiny', 'x', 0.0000005, 1, now()
        from generate_series(1, 40) n;
      insert into "LiteLLM_DailyUserSpend" (id, user_id, date, api_key, model, spend, updated_at)
        values ('odd', 'carol', 'yesterday', 'k', 'm', 1, now()), ('rich', 'carol', '2026-11-01', 'k', 'm', 1e10, now()),
          ('gone', 'nobody-here', '2026-11-01', 'k', 'm', 1, now())`);
    await using database = await createTestDatabase();
    const db = openDatabase({ url: database.url, poolMax: 1, applicationName: "test" });
    try {
      const { findings } = await move(db, "litellm", { from: peer.url, saltKeyFile });
      const [tiny] =
        await db.sql`select calls::int as calls, quota::int as quota from imported_usage where model = 'tiny'`;
      expect(tiny).toEqual({ calls: 40, quota: 10 });
      const said = findings.filter(({ table }) => table === "DailyUserSpend").map(({ id, text }) => `${id}: ${text}`);
      expect(said.join("\n")).toContain("odd: The row can't be read: its date is not a day");
      expect(said.join("\n")).toContain("rich: The row can't be read: the amount is out of range");
      expect(said.join("\n")).toContain("user nobody-here: The user was not moved");
    } finally {
      await db.close(500);
    }
  });
});
