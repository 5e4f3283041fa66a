import type { RequestId } from "@sluice/contracts/ids";
import type { MessagesModelInput } from "@sluice/contracts/messages-models";
import { saveModelMapEntry } from "@sluice/control-plane/messages-compat/service.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { TraceService } from "@sluice/control-plane/trace/service.ts";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { addModelWithChannel, waitUntil } from "../calls/relay-scene.ts";
import { type Arrangement, masterKeyBytes, type SluiceProcess, SluiceRig, type TestUser } from "../service/sluice.ts";
import { noThread } from "../trace/payload-pair.ts";
import { PayloadCounts, silentLog } from "../trace/trace-fixtures.ts";
import { patienceMs } from "../values/patience.ts";

/** The name under which tests ask for `gpt-4o-mini`. */
export const messagesModel = "claude-test";

/** Sluice with a model map, in front of the sandbox provider. */
export class MessagesRig {
  readonly provider: SandboxProvider;
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly user: TestUser;

  private constructor(provider: SandboxProvider, rig: SluiceRig, sluice: SluiceProcess, user: TestUser) {
    this.provider = provider;
    this.rig = rig;
    this.sluice = sluice;
    this.user = user;
  }

  static async start(arrangement: Arrangement, env: Record<string, string> = {}): Promise<MessagesRig> {
    const provider = startSandboxProvider({ port: 0 });
    const rig = await SluiceRig.create(provider.url);
    await saveMapEntry(rig, { name: messagesModel });
    const user = await rig.addUser();
    return new MessagesRig(provider, rig, await rig.start(arrangement, env), user);
  }

  /** A name of the map with its own model and channel, so that whatever happens to them affects no other call. */
  async addModel(name: string, fields: Partial<MessagesModelInput> = {}): Promise<void> {
    const upstream = `upstream-${name}`;
    await addModelWithChannel(this.rig, upstream, `${this.provider.url}/v1`);
    await saveMapEntry(this.rig, { ...fields, name, upstream_model: upstream });
    // Both are announced to each process, which loads them in its own time.
    await waitUntil(async () => (await this.call(`/msgcompat/v1/models/${name}`)).ok);
  }

  /** The requests that the provider got, by index. */
  upstreamBody(index: number): Record<string, unknown> {
    return JSON.parse(this.provider.requests[index]?.body.toString() ?? "null");
  }

  get baseUrl(): string {
    return `${this.sluice.url}/msgcompat`;
  }

  /** A call without a client, to check the bytes of the response. */
  call(path: string, init: RequestInit & { readonly apiKey?: string } = {}): Promise<Response> {
    const { apiKey = this.user.apiKey, headers, ...rest } = init;
    return fetch(`${this.sluice.url}${path}`, {
      ...rest,
      headers: { "x-api-key": apiKey, "content-type": "application/json", ...(headers as Record<string, string>) },
    });
  }

  /** `POST /msgcompat/v1/messages` with a short question, unless the fields say otherwise. */
  post(fields: object = {}, init: RequestInit & { readonly apiKey?: string } = {}): Promise<Response> {
    const body = { model: messagesModel, max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...fields };
    return this.call("/msgcompat/v1/messages", { method: "POST", body: JSON.stringify(body), ...init });
  }

  /** The row of a call, once it is committed. */
  async usageOf(answer: Response): Promise<UsageOfCall> {
    const requestId = answer.headers.get("x-request-id") ?? "";
    return await this.#await(requestId, async () => {
      const [row] = await this.rig.db.sql<UsageOfCall>`
        select outcome, http_status, error_code, input_tokens, output_tokens, cache_read_tokens, quota, model
        from usage_log where request_id = ${requestId}::uuid`;
      return row ?? null;
    });
  }

  /** The trace of a call, once it is committed. */
  async traceOf(answer: Response): Promise<TraceOfCall> {
    const requestId = answer.headers.get("x-request-id") ?? "";
    return await this.#await(requestId, async () => {
      const [row] = await this.rig.db.sql<TraceOfCall>`
        select method, path, status, http_status, model, is_stream, payload, gateway_user_id
        from trace_record where request_id = ${requestId}::uuid`;
      return row ?? null;
    });
  }

  /** The stored bodies of a call: what the client sent and what it received. */
  async payloadOf(answer: Response): Promise<{ request: string; response: string }> {
    const requestId = (answer.headers.get("x-request-id") ?? "") as RequestId;
    const trace = new TraceService({
      db: this.rig.db,
      masterKey: new MasterKey(masterKeyBytes),
      clock: systemClock,
      log: silentLog,
      thread: noThread,
      append: () => undefined,
      limits: { bodyBytesMax: 262_144, queueBytesMax: 1, queueCountMax: 1 },
      observer: new PayloadCounts(),
    });
    // An id begins with the milliseconds since 1970 of its call.
    const day = utcDay(Number.parseInt(requestId.replaceAll("-", "").slice(0, 12), 16));
    const payload = await this.#await(requestId, () => trace.readPayload(day, requestId));
    const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString();
    return { request: text(payload.request), response: text(payload.response) };
  }

  async #await<Row>(requestId: string, find: () => Promise<Row | null>): Promise<Row> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const row = await find();
      if (row !== null) {
        return row;
      }
      if (performance.now() > deadline) {
        throw new Error(`nothing was written down of ${requestId}`);
      }
      await Bun.sleep(20);
    }
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.provider.stop();
  }
}

export type UsageOfCall = {
  outcome: string;
  http_status: number;
  error_code: string | null;
  input_tokens: bigint;
  output_tokens: bigint;
  cache_read_tokens: bigint;
  quota: bigint;
  model: string;
};

export type TraceOfCall = {
  method: string;
  path: string;
  status: string;
  http_status: number;
  model: string | null;
  is_stream: boolean;
  payload: string;
  gateway_user_id: bigint | null;
};

/** Adds a name to the model map, mapped to `gpt-4o-mini` unless the fields say otherwise. */
export async function saveMapEntry(
  rig: SluiceRig,
  fields: Partial<MessagesModelInput> & { readonly name: string },
): Promise<void> {
  const actor = { kind: "command", id: null, name: "test" } as const;
  const entry = {
    display_name: fields.name,
    upstream_model: "gpt-4o-mini",
    flags: {},
    is_enabled: true,
    released_at: "2026-01-01T00:00:00Z",
    version: 0,
    ...fields,
  };
  await saveModelMapEntry(rig.db, entry, { actor });
}
