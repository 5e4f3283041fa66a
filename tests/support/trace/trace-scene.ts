import { expect } from "bun:test";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { createApiKey } from "@sluice/control-plane/gateway/keys/create-key.ts";
import { utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { TraceRow } from "@sluice/control-plane/trace/model.ts";
import { commitTraces } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type Answer, type ConsoleClient, consoleClient } from "../accounts/console-client.ts";
import { loginAdmin, loginUser, type UserLogin } from "../accounts/logins.ts";
import { chat } from "../calls/chat-call.ts";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { patienceMs } from "../values/patience.ts";
import { traceRowOf } from "./trace-fixtures.ts";

export type ListedTrace = {
  readonly request_id: string;
  readonly day: string;
  readonly status: string;
  readonly model: string | null;
  readonly payload: string;
};

export type TraceCaller = UserLogin & { readonly apiKey: string };

/** A service with an admin and a super-admin, who look at what was called. */
export class TraceScene {
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly admin: ConsoleClient;
  readonly superAdmin: ConsoleClient;
  readonly #provider: SandboxProvider;

  private constructor(provider: SandboxProvider, rig: SluiceRig, sluice: SluiceProcess, cookies: readonly string[]) {
    this.#provider = provider;
    this.rig = rig;
    this.sluice = sluice;
    this.admin = consoleClient(sluice.url, cookies[0] ?? null);
    this.superAdmin = consoleClient(sluice.url, cookies[1] ?? null);
  }

  static async start(): Promise<TraceScene> {
    const provider = await startSandboxProvider({ port: 0 });
    const rig = await SluiceRig.create(provider.url);
    const sluice = await rig.startProcess();
    const admins = [await loginAdmin(rig, { isSuper: false }), await loginAdmin(rig)];
    return new TraceScene(
      provider,
      rig,
      sluice,
      admins.map(({ cookie }) => cookie),
    );
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.#provider.stop();
  }

  async insert(rows: readonly Partial<TraceRow>[]): Promise<TraceRow[]> {
    const whole = rows.map((row) => {
      const startedAtMs = row.startedAtMs ?? Date.now();
      return traceRowOf({ day: utcDay(startedAtMs), requestId: requestIdAt(startedAtMs), startedAtMs, ...row });
    });
    await createMissingPartitions(
      this.rig.db,
      "trace_record",
      whole.map(({ day }) => day),
    );
    await commitTraces(this.rig.db, whole.map(toSpooledTrace));
    return whole;
  }

  async find(query: Record<string, string>): Promise<ListedTrace[]> {
    const { status, body } = await this.admin.get("/backend/admin/trace/list/", { limit: "100", ...query });
    expect([status, body["error"]]).toEqual([200, undefined]);
    return body["traces"] as ListedTrace[];
  }

  async enter(): Promise<TraceCaller> {
    const login = await loginUser(this.rig, { quota: 1_000_000_000n });
    return { ...login, apiKey: await createApiKey(this.rig.db, login.gatewayUserId, "mine") };
  }

  /** Makes a call and waits until its trace and its payload are in the database. */
  async callAs(apiKey: string, body: Record<string, unknown>): Promise<{ requestId: string; day: string }> {
    const { requestId } = await chat(
      { url: this.sluice.url, apiKey },
      { model: "gpt-4o-mini", max_tokens: 5, ...body },
    );
    for (const deadline = Date.now() + patienceMs; ; ) {
      const [row] = await this.rig.db.sql<{ day: string; is_whole: boolean }>`
        select t.day::text as day, t.payload <> 'stored' or r.segment_id is not null as is_whole
        from trace_record t left join lateral find_payload(t.day, t.request_id) r on true where request_id = ${requestId}::uuid`;
      if (row?.is_whole === true) {
        return { requestId: requestId ?? "", day: row.day };
      }
      if (Date.now() > deadline) {
        throw new Error(`the trace of ${requestId} did not come`);
      }
      await Bun.sleep(20);
    }
  }

  /** Reads the bodies of a call, with what is said about it. */
  read(
    call: { readonly requestId: string },
    said: Record<string, unknown> = { reason: readingReason },
    as = this.superAdmin,
  ): Promise<Answer> {
    return as.post("/backend/admin/trace/payload/", { request_id: call.requestId, ...said });
  }

  async linkCount(): Promise<number> {
    const [row] = await this.rig.db.sql<{ count: number }>`select count(*)::int as count from payload_access`;
    return row?.count ?? 0;
  }
}

export const readingReason = "a customer asks why the answer was cut";

/** A request id of this moment, as the relay generates them. */
export function requestIdAt(atMs: number): TraceRow["requestId"] {
  return Bun.randomUUIDv7("hex", atMs) as TraceRow["requestId"];
}
