import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import OpenAI from "openai";
import { Registry } from "prom-client";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { answerChat, OldGateway } from "../support/moving/old-gateway.ts";
import { SwitchingEdge } from "../support/moving/switching-edge.ts";
import { masterKeyBytes, SluiceRig } from "../support/service/sluice.ts";
import { silentLog } from "../support/trace/trace-fixtures.ts";

const command = join(import.meta.dir, "../../control-plane/src/commands/import.ts");
/** Users of the old gateway, each with a key that has no limit. */
const customers = {
  alice: "sk-fwRIUl5xYi9FFRRx15A6E0636bAd41B7A2CfEeFdFcA781E4",
  carol: "sk-mUXV6OwuuSl7BMqiBeE30a2c26934092B748Bd3889C935E1",
  ivan: "sk-20y6Y7xpvkLMWdS033241b1996064c02AfC06c0e3dE68a23",
};

test("clients that call during a cut-over by the guide see no error, and every unit is charged once", async () => {
  const provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => answerChat(((await request.json()) as { stream?: boolean }).stream === true),
  });
  using old = new OldGateway(`http://127.0.0.1:${provider.port}`);
  const rig = await SluiceRig.create("http://127.0.0.1:9");
  const edge = await SwitchingEdge.start(old.url);
  try {
    const sluice = await rig.start("one-process");
    const before = Object.fromEntries(Object.keys(customers).map((name) => [name, old.quotaOf(name)]));
    const importWith = async (...words: string[]): Promise<void> => {
      const child = Bun.spawn([process.execPath, command, "one-api", "--from", `sqlite:${old.path}`, ...words], {
        env: {
          PATH: process.env["PATH"] ?? "",
          NODE_ENV: "test",
          DATABASE_URL: rig.database.url,
          MASTER_KEY: masterKeyBytes.toString("base64"),
        },
        stdout: "ignore",
        stderr: "pipe",
      });
      expect([words, await child.exited, await new Response(child.stderr).text()]).toEqual([
        words,
        0,
        expect.anything(),
      ]);
    };
    // Days before the move.
    await importWith("--apply");

    const load = new Load(edge.url);
    await load.until(() => old.calls >= 15);
    const slow = load.callSlowly();
    await load.until(() => old.running > 0);
    await importWith("--apply", "--cut-over");
    await edge.switchTo(sluice.url);
    await load.until(() => load.done - old.calls > 40);
    await slow;
    await load.stop();
    await waitUntil(async () => old.running === 0);
    expect(load.errors).toEqual([]);
    // A group's multiplier changes what is granted here while the move is not over yet.
    await settleAll(rig, load.done - old.calls);
    await importWith("--apply", "--drained");

    for (const name of Object.keys(customers)) {
      const [row] = await rig.db.sql<{ granted: bigint; moved: bigint }>`
        select b.granted + coalesce((
            select sum(s.quota_delta) from usage_settlement s where s.gateway_user_id = b.gateway_user_id
          ), 0)::bigint as granted,
          (select sum(g.amount) from quota_grant g where g.budget_id = b.id and g.change_type = 'import_opening')::bigint as moved
        from budget b join user_profile p on p.gateway_user_id = b.gateway_user_id where p.username = ${name}`;
      // Apart from what multipliers gave back, what was granted here is all that the old gateway had left in the end,
      // whatever was spent here meanwhile.
      const left = BigInt(old.quotaOf(name));
      expect([name, row]).toEqual([name, { granted: left, moved: left }]);
      expect(old.quotaOf(name)).toBeLessThan(before[name] ?? 0);
    }
    // A second one finds no difference.
    const grants = async () => (await rig.db.sql`select from quota_grant where change_type = 'import_opening'`).length;
    const once = await grants();
    await importWith("--apply", "--drained");
    expect(await grants()).toBe(once);
    expect(await rig.checkMoney()).toEqual([]);
  } finally {
    await edge.stop();
    await rig.close();
    await provider.stop(true);
  }
});

/** Settles the calls that were made here, once there are at least so many. Otherwise the job does so once a minute. */
async function settleAll({ db }: SluiceRig, callsMin: number): Promise<void> {
  const settlement = new UsageSettlement({ db, clock: systemClock, log: silentLog, registry: new Registry() });
  await waitUntil(async () => {
    await settlement.run();
    const [row] = await db.sql<{ calls: bigint; settled: bigint }>`
      select (select count(*) from usage_log) as calls, (select count(*) from settled_call) as settled`;
    return row !== undefined && Number(row.calls) >= callsMin && row.settled === row.calls;
  });
}

/** Official clients with their usual retries, which call without a break. */
class Load {
  done = 0;
  readonly errors: string[] = [];
  #isStopped = false;
  readonly #clients: readonly OpenAI[];
  readonly #loops: readonly Promise<void>[];

  constructor(url: string) {
    this.#clients = Object.values(customers).map((apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey }));
    this.#loops = this.#clients.flatMap((client) => [this.#run(client, true), this.#run(client, false)]);
  }

  async until(isReached: () => boolean): Promise<void> {
    await waitUntil(async () => isReached());
  }

  /** A stream that begins before the switch and ends after it. */
  async callSlowly(): Promise<void> {
    const [client] = this.#clients;
    await this.#call(client as OpenAI, true, "slow");
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }

  async #run(client: OpenAI, isStream: boolean): Promise<void> {
    while (!this.#isStopped) {
      await this.#call(client, isStream, "usual");
    }
  }

  async #call(client: OpenAI, isStream: boolean, user: string): Promise<void> {
    const asked = { model: "gpt-4o", messages: [{ role: "user" as const, content: "Hello" }], max_tokens: 8, user };
    try {
      let text = "";
      if (isStream) {
        for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
          text += chunk.choices[0]?.delta.content ?? "";
        }
      } else {
        text = (await client.chat.completions.create(asked)).choices[0]?.message.content ?? "";
      }
      if (text !== "Hello.") {
        this.errors.push(`an answer of ${JSON.stringify(text)}`);
      }
      this.done += 1;
    } catch (error) {
      this.errors.push(String(error));
    }
  }
}
