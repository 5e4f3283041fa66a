import { openaiUpstream } from "@sluice/contracts/upstreams";
import { type AccountAnswer, AccountClient } from "../accounts/account-client.ts";
import { loginAdmin } from "../accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";

/** The credential of the scene's channels, which no response, audit row or log may contain. */
export const canary = "canary-credential-0123456789";

export type SavedChannel = { readonly channel_id: number; readonly updated_at: string };

type Audited = { readonly before: Record<string, unknown> | null; readonly after: object; readonly text: string };

export const completion = (model: string): Response =>
  Response.json({
    id: "x",
    object: "chat.completion",
    model: `${model}-2031`,
    choices: [{ index: 0, message: { role: "assistant", content: "OK" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
  });

type Seen = { readonly path: string; readonly authorization: string | null; readonly body: { model?: string } };

/** An upstream that keeps what it was sent and responds as the test says. */
class ScriptedUpstream {
  readonly seen: Seen[] = [];
  answerNext: (request: Request) => Response = () => completion("any");
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = (request.method === "GET" ? {} : await request.json()) as { model?: string };
      const { pathname } = new URL(request.url);
      this.seen.push({ path: pathname, authorization: request.headers.get("authorization"), body });
      return this.answerNext(request);
    },
  });
  readonly url = `http://127.0.0.1:${this.#server.port}`;

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}

/** A running service with an upstream, and a super-admin who edits its catalog. */
export class CatalogScene {
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly upstream: ScriptedUpstream;
  readonly #cookie: string;

  private constructor(rig: SluiceRig, sluice: SluiceProcess, from: { upstream: ScriptedUpstream; cookie: string }) {
    this.rig = rig;
    this.sluice = sluice;
    this.upstream = from.upstream;
    this.#cookie = from.cookie;
  }

  static async start(): Promise<CatalogScene> {
    const upstream = new ScriptedUpstream();
    const rig = await SluiceRig.create(upstream.url);
    const sluice = await rig.start("one-process");
    const { cookie } = await loginAdmin(rig);
    return new CatalogScene(rig, sluice, { upstream, cookie });
  }

  async close(): Promise<void> {
    await this.upstream.stop();
    await this.rig.close();
  }

  post(path: string, fields: object): Promise<AccountAnswer> {
    return new AccountClient(this.sluice).post(`/backend/admin/${path}`, fields, { cookie: this.#cookie });
  }

  get(path: string): Promise<AccountAnswer> {
    return new AccountClient(this.sluice).get(`/backend/admin/${path}`, { cookie: this.#cookie });
  }

  /** Where the upstream is, as a channel has it. */
  get address(): string {
    return `${this.upstream.url}/v1`;
  }

  /** A disabled channel to the upstream. */
  async addChannel(name: string): Promise<SavedChannel> {
    const made = await this.post("channel/save/", {
      name,
      upstream: openaiUpstream(this.address),
      credential: canary,
    });
    if (made.status !== 200) {
      throw new Error(`not saved: ${made.text}`);
    }
    return made.body["channel"] as SavedChannel;
  }

  /** The audit rows of an action on a subject, oldest first. */
  async audits(action: string, subject: string): Promise<Audited[]> {
    return [
      ...(await this.rig.db.sql<Audited>`
        select before, after, to_jsonb(audit_log)::text as text from audit_log
        where action = ${action} and subject_id = ${subject} order by id`),
    ];
  }
}
