/** A running service with channels to scripted providers, one model for each story. */

import type { Dialect } from "@sluice/contracts/upstreams";
import type { RequestRecord } from "@sluice/sandbox-provider/record/request-record";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type Arrangement, type SluiceProcess, SluiceRig, type TestUser } from "../service/sluice.ts";
import { patienceMs } from "../values/patience.ts";
import { type SurfaceName, settingsOf, surfaces } from "./call-routes.ts";
import { type CallOptions, type RelayedResponse, relayedCall } from "./relayed-call.ts";

/** A row of the usage log, as far as faults are concerned. */
export type FaultRow = {
  outcome: string;
  http_status: number;
  error_code: string | null;
  usage_source: string;
  input_tokens: bigint;
  output_tokens: bigint;
  quota: bigint;
  channel_id: bigint | null;
  attempts: { channelId: string; channel: string; said?: string; status: number | null; result: string }[];
};

export type ChannelPlan = {
  readonly name: string;
  /** The address of the channel; the scripted provider by default. */
  readonly baseUrl?: string;
  /** The only dialect that the channel speaks; by default it is an OpenAI-compatible one. */
  readonly speaks?: Dialect;
  readonly priority?: number;
  readonly concurrencyMax?: number;
  /** How long it may be silent, before the first byte and later. */
  readonly silenceMsMax?: number | undefined;
  readonly credential?: string;
};

type Parts = { readonly relay: SluiceProcess; readonly gateway: SluiceProcess };

export class FaultRig {
  readonly provider: SandboxProvider;
  readonly rig: SluiceRig;
  readonly user: TestUser;
  #parts: Parts | null = null;

  private constructor(provider: SandboxProvider, rig: SluiceRig, user: TestUser) {
    this.provider = provider;
    this.rig = rig;
    this.user = user;
  }

  /** Where clients call. */
  get relay(): SluiceProcess {
    return this.#started().relay;
  }

  /** The process that holds quota and chooses channels; the same one unless the arrangement is split. */
  get gateway(): SluiceProcess {
    return this.#started().gateway;
  }

  static async create(): Promise<FaultRig> {
    const provider = startSandboxProvider({ port: 0 });
    const rig = await SluiceRig.create(provider.url);
    return new FaultRig(provider, rig, await rig.addUser());
  }

  /** A model of this name that the given channels serve; 0.15 USD a million input tokens, 0.60 output. */
  async addModel(name: string, channels: readonly ChannelPlan[]): Promise<void> {
    await this.rig.addModel(name);
    for (const [index, plan] of channels.entries()) {
      const baseUrl = plan.baseUrl ?? `${this.provider.url}/v1`;
      const id = await this.rig.addChannel(plan.name, baseUrl, [name], plan.credential);
      if (plan.speaks !== undefined) {
        const settings = settingsOf(plan.speaks, baseUrl.slice(0, -"/v1".length));
        await this.rig.db.sql`update channel set upstream = ${settings}::text::jsonb where id = ${id}::bigint`;
      }
      await this.rig.db.sql`
        update channel set concurrency_max = ${plan.concurrencyMax ?? null},
          first_byte_timeout_ms = ${plan.silenceMsMax ?? null}, idle_timeout_ms = ${plan.silenceMsMax ?? null}
        where id = ${id}::bigint`;
      await this.rig.db.sql`
        update ability set priority = ${plan.priority ?? index} where channel_id = ${id}::bigint and model = ${name}`;
    }
  }

  /** Starts the service; models and channels that were added before exist from the first call. */
  async start(arrangement: Arrangement, env: Record<string, string> = {}): Promise<void> {
    if (arrangement === "one-process") {
      const both = await this.rig.startProcess(env);
      this.#parts = { relay: both, gateway: both };
      return;
    }
    const gateway = await this.rig.startProcess({ ...env, ROLES: "gateway,jobs" });
    const relay = await this.rig.startProcess({
      ...env,
      ROLES: "relay,backend",
      UPSTREAM_GATEWAY_URL: gateway.url,
    });
    this.#parts = { relay, gateway };
  }

  /** A chat call to a model, through to the end of its connection. */
  call(model: string, body: object = {}, more: Partial<CallOptions> = {}): Promise<RelayedResponse> {
    return relayedCall(this.relay.url, { apiKey: this.user.apiKey, body: { model, ...body }, ...more });
  }

  /** A call of one API to a model, with a short question, through to the end of its connection. */
  ask(surface: SurfaceName, model: string, body: object = {}): Promise<RelayedResponse> {
    const { path, fields } = surfaces[surface];
    return this.call(model, { ...fields, ...body }, { path });
  }

  /** Resolves when calls may use a model that was added while the service ran. */
  async waitForModel(name: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.user.apiKey}` };
    const url = `${this.relay.url}/v1/models/${name}`;
    await this.#until(async () => (await fetch(url, { headers })).status === 200, `${name} is in the catalog`);
  }

  /**
   * Calls repeatedly until a request with this credential reaches the provider, for example once the pause of a channel
   * is over; every earlier call must succeed.
   */
  async callUntilRequest(
    model: string,
    credential: string,
  ): Promise<{ record: RequestRecord; answer: Promise<RelayedResponse> }> {
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      const answer = this.call(model);
      await Promise.race([answer, this.#untilRequest(credential)]);
      const record = this.provider.requests.find((request) => request.credential === credential);
      if (record !== undefined) {
        return { record, answer };
      }
      if ((await answer).status !== 200) {
        throw new Error("a call failed before the channel was tried again");
      }
    }
    throw new Error(`no request with ${credential} came`);
  }

  async #untilRequest(credential: string): Promise<void> {
    for (let index = 0; ; index += 1) {
      const record = await this.provider.waitForRequest(index, patienceMs).catch(() => null);
      if (record === null || record.credential === credential) {
        return;
      }
    }
  }

  /** The one usage row of a call. @throws Error when there is none in time, or more than one */
  row(requestId: string): Promise<FaultRow> {
    return this.#onlyRow(
      () =>
        this.rig.db
          .sql<FaultRow>`select *, usage_attempts(attempts) as attempts from usage_log where request_id = ${requestId}::uuid`,
      requestId,
    );
  }

  /** The one usage row of a user who made one call, whose response may never have begun. */
  rowOf(user: TestUser): Promise<FaultRow> {
    return this.#onlyRow(
      () =>
        this.rig.db
          .sql<FaultRow>`select *, usage_attempts(attempts) as attempts from usage_log where gateway_user_id = ${user.gatewayUserId}::bigint`,
      `user ${user.gatewayUserId}`,
    );
  }

  async #onlyRow(query: () => Promise<readonly FaultRow[]>, what: string): Promise<FaultRow> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const rows = await query();
      const [row] = rows;
      if (row !== undefined && rows.length === 1) {
        return row;
      }
      if (rows.length > 1 || performance.now() > deadline) {
        throw new Error(`${rows.length} usage rows for ${what}`);
      }
      await Bun.sleep(10);
    }
  }

  /** Resolves when a model has these rows, counted by outcome and source. @throws Error after a time */
  async waitForEnds(model: string, expected: Readonly<Record<string, number>>): Promise<void> {
    const count = async () => {
      const rows = await this.rig.db.sql<{ outcome: string; usage_source: string; calls: bigint }>`
        select outcome, usage_source, count(*) as calls from usage_log where model = ${model} group by 1, 2 order by 1, 2`;
      return JSON.stringify(
        Object.fromEntries(rows.map((row) => [`${row.outcome} ${row.usage_source}`, Number(row.calls)])),
      );
    };
    const wanted = JSON.stringify(expected);
    await this.#until(async () => (await count()) === wanted, `the rows of ${model} are ${wanted}`);
  }

  /** How many usage rows there are. */
  async rowCount(): Promise<number> {
    const [count] = await this.rig.db.sql<{ rows: bigint }>`select count(*) as rows from usage_log`;
    return Number(count?.rows ?? 0n);
  }

  /** The value of a metric of the process that keeps quota and channels; labels are part of the name. */
  metric(name: string): Promise<number> {
    return this.#reading(this.gateway.url, name);
  }

  async #reading(url: string, name: string): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text
      .split("\n")
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  async #until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await isSo())) {
      if (performance.now() > deadline) {
        throw new Error(`not within ${patienceMs} ms: ${what}`);
      }
      await Bun.sleep(10);
    }
  }

  /** Resolves when this many calls run at the relay. @throws Error when that does not happen in time */
  async waitUntilInFlight(count: number): Promise<void> {
    await this.#until(
      async () => (await this.#reading(this.relay.url, "sluice_in_flight")) === count,
      `${count} calls in flight`,
    );
  }

  /** Resolves when no quota is held any more. @throws Error when that does not happen in time */
  async waitUntilReleased(): Promise<void> {
    await this.#until(async () => (await this.metric("sluice_held_quota")) === 0, "no quota is held");
  }

  #started(): Parts {
    if (this.#parts === null) {
      throw new Error("the service was not started");
    }
    return this.#parts;
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.provider.stop();
  }
}
