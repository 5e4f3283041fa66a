import { afterAll, describe, expect, test } from "bun:test";
import type { Program } from "@sluice/control-plane/moving/model.ts";
import { writeReport } from "@sluice/control-plane/moving/write-report.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { copyPeer, type MoveOptions, move } from "../../support/moving/peers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";

type Report = Awaited<ReturnType<typeof move>>;
type Moved = { readonly database: TestDatabase; readonly db: Database; readonly report: Report };

/** Of unchanged peers, by program: the tests only read, so that each is moved once for all of them. */
const unchanged = new Map<Program, Promise<Moved>>();

async function moveInto(program: Program, options: MoveOptions): Promise<Moved> {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolMax: 2, applicationName: "test" });
  return { database, db, report: await move(db, program, options) };
}

async function end({ database, db }: Moved): Promise<void> {
  await db.close(500);
  await database.drop();
}

afterAll(async () => {
  for (const each of unchanged.values()) {
    await end(await each);
  }
});

async function moved<Result>(
  program: Program,
  work: (db: Database, report: Report) => Promise<Result>,
  options?: MoveOptions,
): Promise<Result> {
  if (options === undefined) {
    const once = unchanged.get(program) ?? moveInto(program, {});
    unchanged.set(program, once);
    const { db, report } = await once;
    return await work(db, report);
  }
  const own = await moveInto(program, options);
  try {
    return await work(own.db, own.report);
  } finally {
    await end(own);
  }
}

/** What a customer of a group pays, in USD per million tokens: input, output, cached input, and USD per request. */
async function pricesFor(db: Database, group: string, model: string): Promise<string> {
  const [row] = await db.sql<{ prices: string }>`
    select concat_ws(' ', trim_scale(p.input_usd_per_m * g.multiplier), trim_scale(p.output_usd_per_m * g.multiplier),
      coalesce(trim_scale(p.cache_read_usd_per_m * g.multiplier)::text, '-'), trim_scale(p.request_usd * g.multiplier)) as prices
    from model_price p cross join user_group g where p.model = ${model} and g.name = ${group} order by p.version desc limit 1`;
  return row?.prices ?? "none";
}

describe("prices of one-api", () => {
  test("are the same here for each group", async () => {
    await moved("one-api", async (db) => {
      expect(await pricesFor(db, "default", "gpt-4o")).toBe("2.5 10 - 0");
      expect(await pricesFor(db, "vip", "gpt-4o")).toBe("2 8 - 0");
      expect(await pricesFor(db, "svip", "gpt-4o")).toBe("1.25 5 - 0");
      expect(await pricesFor(db, "svip", "acme-chat-large")).toBe("3 7.5 - 0");
      expect(await pricesFor(db, "svip", "acme-chat-free")).toBe("0 0 - 0");
    });
  });

  test("are compared in the report, for each model and group, and none differs", async () => {
    for (const program of ["one-api", "new-api"] as const) {
      await moved(program, async (_, { prices }) => {
        expect(prices.length).toBeGreaterThan(30);
        expect(prices.filter(({ isSame }) => !isSame)).toEqual([]);
      });
    }
    await moved("one-api", async (_, report) => {
      expect(report.prices).toContainEqual({
        ...{ model: "gpt-4o", group: "vip", there: "2 8 - 0", here: "2 8 - 0", isSame: true },
      });
      expect(writeReport(report)).toContain("gpt-4o, svip: 1.25 5 - 0, the same here");
    });
  });

  test("that can't be the same here are named with both", async () => {
    await using peer = await copyPeer("one-api");
    peer.change("update options set value = json_set(value, '$.svip', 0.12345678) where key = 'GroupRatio'");
    await moved(
      "one-api",
      async (_, report) => {
        const different = report.prices.filter(({ isSame }) => !isSame);
        expect(different.length).toBeGreaterThan(5);
        expect(different.every(({ group }) => group === "svip")).toBe(true);
        expect(writeReport(report)).toContain("DIFFERENT here");
      },
      { from: `sqlite:${peer.path}` },
    );
  });

  test("are those of the channel that gets the calls, and the report names the others", async () => {
    await moved("one-api", async (db, { findings }) => {
      expect(await pricesFor(db, "vip", "gpt-4-turbo")).toBe("6.4 19.2 - 0");
      expect(await pricesFor(db, "vip", "gpt-4-32k")).toBe("6.4 19.2 - 0");
      const ofModel = findings.filter(({ id }) => id === "gpt-4-turbo").map(({ text }) => text);
      expect(ofModel.join("\n")).toContain("channel 1 (OpenAI main)");
    });
  });

  test("of a model under another name are those of what it is mapped to", async () => {
    await moved("one-api", async (db) => {
      expect(await pricesFor(db, "default", "claude-sonnet-best")).toBe("15 15 - 0");
      const [ability] = await db.sql<{ upstream_model: string }>`
        select upstream_model from ability where model = 'claude-sonnet-best'`;
      expect(ability?.upstream_model).toBe("anthropic/claude-3.5-sonnet");
    });
  });
});

describe("prices of new-api", () => {
  test("follow the program where it ignores its setting, with cached input", async () => {
    await moved("new-api", async (db) => {
      expect(await pricesFor(db, "default", "gpt-4o")).toBe("3 12 0.75 0");
      expect(await pricesFor(db, "vip", "gpt-4o")).toBe("2.4 9.6 0.6 0");
      expect(await pricesFor(db, "svip", "gpt-4o")).toBe("1.5 6 0.375 0");
    });
  });

  test("per request are moved as such", async () => {
    await moved("new-api", async (db) => {
      expect(await pricesFor(db, "default", "acme-report")).toBe("0 0 - 0.02");
      expect(await pricesFor(db, "svip", "acme-report")).toBe("0 0 - 0.01");
    });
  });

  test("that are missing make no model: its calls would be free", async () => {
    await moved("new-api", async (db, { findings }) => {
      expect(await pricesFor(db, "default", "claude-sonnet-best")).toBe("none");
      expect(findings).toContainEqual(
        expect.objectContaining({ level: "decide", table: "models", id: "claude-sonnet-best" }),
      );
      const abilities = await db.sql`select from ability where model = 'claude-sonnet-best'`;
      expect(abilities).toHaveLength(0);
    });
  });

  test("that were never saved are asked for", async () => {
    await using peer = await copyPeer("new-api");
    peer.change("delete from options where key = 'ModelRatio'");
    await moved(
      "new-api",
      async (db, { findings }) => {
        expect(await pricesFor(db, "default", "gpt-4o")).toBe("none");
        expect(findings.find(({ id }) => id === "gpt-4o")?.text).toContain("--options");
      },
      { from: `sqlite:${peer.path}` },
    );
  });
});

describe("channels", () => {
  test("lead to the provider that their number means in that program", async () => {
    const presets = async (db: Database) => {
      const rows = await db.sql<{ name: string; preset: string | null; status: string }>`
        select name, upstream ->> 'preset' as preset, status from channel order by id`;
      return new Map(rows.map(({ name, preset, status }) => [name, `${preset} ${status}`]));
    };
    const oneApi = await moved("one-api", presets);
    expect(oneApi.size).toBe(14);
    expect(oneApi.get("DeepSeek 深度求索")).toBe("deepseek enabled");
    expect(oneApi.get("Vertex")).toBe("vertex disabled");
    expect(oneApi.get("OpenAI main (one-api #2)")).toBe("openai enabled");
    const newApi = await moved("new-api", presets);
    expect(newApi.get("Mistral")).toBe("mistral disabled");
    expect(newApi.get("Vertex")).toBe("vertex disabled");
    expect(newApi.get("Ollama lab")).toBe("ollama enabled");
  });

  test("are asked in the same order", async () => {
    await moved("one-api", async (db) => {
      const rows = await db.sql<{ name: string; priority: number }>`
        select c.name, a.priority from ability a join channel c on c.id = a.channel_id
        where a.model = 'gpt-4-turbo' and a.group_name = 'vip' order by a.priority, c.id`;
      expect(rows.map(({ name, priority }) => [priority, name])).toEqual([
        [0, "Azure East US 2"],
        [1, "OpenAI main"],
        [1, "OpenAI main (one-api #2)"],
      ]);
    });
  });
});
