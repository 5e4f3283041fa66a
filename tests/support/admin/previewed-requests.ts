import { expect } from "bun:test";
import type { PreviewedOperation } from "@sluice/contracts/previewed-operations";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { type ConsoleClient, consoleClient } from "../accounts/console-client.ts";
import { loginAdmin, loginUser, type UserLogin } from "../accounts/logins.ts";
import type { SluiceRig } from "../service/sluice.ts";

const reason = "asked for by the owner";

/** Where operations are previewed: a super-admin, and a user whom they concern. */
export class PreviewScene {
  readonly rig: SluiceRig;
  readonly boss: ConsoleClient;
  readonly #url: string;
  #user: UserLogin | null = null;

  constructor(rig: SluiceRig, url: string, boss: ConsoleClient) {
    this.rig = rig;
    this.#url = url;
    this.boss = boss;
  }

  /** The newest row of a table. */
  async idOf(table: string, condition: string): Promise<string> {
    const [row] = await this.rig.db.query<{ id: bigint }>(
      `select id from ${table} where ${condition} order by id desc limit 1`,
      [],
    );
    return String(row?.id);
  }

  async userOf(): Promise<bigint> {
    return (await this.#loggedIn()).userId;
  }

  async accountOf(): Promise<string> {
    return String((await this.#loggedIn()).gatewayUserId);
  }

  async keyAsLoaded(): Promise<{ readonly key_id: string; readonly updated_at: string }> {
    const owner = consoleClient(this.#url, (await this.#loggedIn()).cookie);
    const read = async () => (await owner.get("/backend/keys/list/")).body["keys"] as Record<string, string>[];
    if ((await read()).length === 0) {
      expect((await owner.post("/backend/keys/create/", { name: "first" })).status).toBe(200);
    }
    const [found] = await read();
    return { key_id: String(found?.["key_id"]), updated_at: found?.["updated_at"] ?? "" };
  }

  async registrationAsLoaded(): Promise<object> {
    const { body } = await this.boss.get("/backend/admin/registration/");
    const { updated_by: _, ...rules } = body["rules"] as Record<string, unknown>;
    return { ...rules, mode: "closed", reason };
  }

  async #loggedIn(): Promise<UserLogin> {
    this.#user ??= await loginUser(this.rig);
    return this.#user;
  }
}

/** The input of a valid request for each operation. Later ones need what earlier ones have made. */
export const previewedRequests = (
  scene: PreviewScene,
): Readonly<Record<PreviewedOperation, () => Promise<object> | object>> => ({
  "/backend/admin/model/save/": () => ({
    ...{ name: "m-new", display_name: "New", owned_by: "test", context_tokens_max: 1_000, output_tokens_max: 100 },
    ...{ input_usd_per_m: "1", output_usd_per_m: "2" },
  }),
  "/backend/admin/channel/save/": () => ({
    ...{ name: "c-new", upstream: openaiUpstream("http://127.0.0.1:9"), credential: "sk-upstream", reason },
  }),
  "/backend/admin/channel/credential/save/": async () => ({
    ...{ channel_id: await scene.idOf("channel", "name = 'c-new'"), label: "second", credential: "sk-second", reason },
  }),
  "/backend/admin/ability/save/": async () => ({
    ...{ group_name: "default", model: "m-new", channel_id: await scene.idOf("channel", "name = 'c-new'") },
  }),
  "/backend/admin/model/fallbacks/save/": () => ({ model: "m-new", fallback_models: [], is_for_every_key: true }),
  "/backend/admin/anthropic/model-map/save/": () => ({
    ...{ name: "claude-preview", display_name: "Claude", upstream_model: "m-new" },
    ...{ released_at: "2026-01-01T00:00:00Z", version: 0 },
  }),
  "/backend/admin/exit-node/account/save/": () => ({
    ...{ account_code: "tokyo-1-extra", node_code: "tokyo-1", provider: "openai", auth_type: "api_key" },
  }),
  "/backend/admin/exit-node/route/save/": async () => ({
    ...{
      route_code: "r-1",
      gateway_user_id: Number(await scene.accountOf()),
      provider: "openai",
      model_pattern: "m-*",
    },
  }),
  "/backend/upstream/auth-profiles/save/": () => ({
    ...{ name: "profile", provider: "openai", auth_type: "api_key", status: "standby" },
    ...{ base_url: "https://api.example.org", settings: {}, credential: { api_key: "sk-profile" } },
  }),
  "/backend/admin/group/save/": () => ({ name: "pro", multiplier: "0.8", visibility: "assigned", rank: 5, reason }),
  "/backend/admin/group/assign/": async () => ({
    ...{ group_name: "pro", users: [String(await scene.userOf())], as: "additional", reason },
  }),
  "/backend/admin/group/remove/": async () => ({ group_name: "pro", users: [String(await scene.userOf())], reason }),
  "/backend/admin/plan/save/": () => ({
    ...{ plan_code: "gold", name: "Gold", kind: "monthly", price_usd: "20.00", quota: "10000000", status: "active" },
  }),
  "/backend/admin/code-batch/create/": () => ({ name: "Batch", quota: "500000", count: 3 }),
  "/backend/admin/code-batch/revoke/": async () => ({ batch_id: await scene.idOf("code_batch", "true"), reason }),
  "/backend/admin/coupon/create/": () => ({ code: "SPRING", kind: "percent", percent: "10" }),
  "/backend/admin/coupon/revoke/": async () => ({ coupon_id: await scene.idOf("coupon", "true"), reason }),
  "/backend/admin/invoice/terms/save/": () => ({
    ...{ is_on: true, seller_name: "Seller", seller_address: "Street 1", seller_country: "DE" },
    ...{ invoice_prefix: "INV-", credit_prefix: "CN-", tax_name: "VAT", tax_mode: "inclusive", tax_rate: "19" },
    ...{ version: 0 },
  }),
  "/backend/admin/channel-cost/save/": async () => ({
    ...{ channel_id: await scene.idOf("channel", "name = 'c-new'"), model: "m-new", valid_from: "2026-01-01" },
    ...{ input_usd_per_m: "1", output_usd_per_m: "1" },
  }),
  "/backend/admin/limit/save/": () => ({
    ...{ scope: "default", requests_per_minute: 60, tokens_per_minute: null, concurrency_max: null },
    ...{ spend_per_day: null, spend_per_month: null, reason },
  }),
  "/backend/admin/user/save/": async () => ({ user_id: String(await scene.userOf()), display_name: "Anna", reason }),
  "/backend/admin/key/save/": async () => ({ ...(await scene.keyAsLoaded()), name: "renamed", reason }),
  "/backend/admin/key/lock/": async () => ({ key_id: (await scene.keyAsLoaded()).key_id, reason }),
  "/backend/admin/key/unlock/": async () => ({ key_id: (await scene.keyAsLoaded()).key_id, reason }),
  "/backend/admin/key/revoke/": async () => ({ key_id: (await scene.keyAsLoaded()).key_id, reason }),
  "/backend/admin/organisation/create/": async () => ({ name: "Team", owner: String(await scene.userOf()), reason }),
  "/backend/admin/organisation/save/": async () => ({
    ...{ organisation_id: await scene.idOf("organisation", "true"), status: "suspended", reason },
  }),
  "/backend/admin/settings/save/": () => ({ name: "payments.renewal_grace_days", value: 3, version: 0 }),
  "/backend/admin/secret/save/": () => ({ name: "walletpay.token", value: "a secret that is long enough" }),
  "/backend/admin/sign-in-provider/remove/": async () => {
    await scene.rig.db.sql`
      insert into sign_in_provider (slug, kind, label, issuer, client_id, secret_sealed, is_enabled, may_register)
      values ('okta', 'oidc', 'Okta', 'https://okta.example.org', 'client', '\\x00'::bytea, false, true)`;
    return { slug: "okta", reason };
  },
  "/backend/admin/registration/save/": async () => await scene.registrationAsLoaded(),
  "/backend/admin/registration/invitation/create/": () => ({ name: "Friends", uses_max: 5, reason }),
  "/backend/admin/registration/invitation/revoke/": async () => ({
    ...{ invitation_id: await scene.idOf("registration_invitation", "true"), reason },
  }),
  "/backend/admin/admin/save/": async () => {
    const { adminId } = await loginAdmin(scene.rig, { isSuper: false });
    const [row] = await scene.rig.db.sql<{ at: Date }>`
      select updated_at as at from shared_admin_credentials where id = ${adminId}::bigint`;
    return { admin_id: String(adminId), agent: 1, role: "support", updated_at: row?.at.toISOString(), reason };
  },
  "/backend/admin/incident/create/": () => ({
    ...{ title: "Slow answers", impact: "minor", models: [], state: "investigating", text: "We are looking." },
  }),
  "/backend/admin/incident/update/": async () => ({
    ...{
      incident_id: await scene.idOf("incident", "true"),
      impact: "minor",
      state: "resolved",
      text: "Over.",
      version: 1,
    },
  }),
  "/backend/admin/branding/text/save/": () => ({
    locale: "en",
    headline: "Hello",
    sub_line: "",
    links: [],
    version: 0,
  }),
  "/backend/admin/branding/legal/save/": () => ({
    ...{ page: "terms", locale: "en", markdown: "# Terms", effective_on: "2026-12-01", version: 0 },
  }),
  "/backend/admin/mail/template/save/": async () => {
    const { body } = await scene.boss.get("/backend/admin/mail/template/", { name: "email_verify", locale: "en" });
    const { subject, html, text } = body["template"] as Record<string, string>;
    return { name: "email_verify", locale: "en", subject: `${subject} now`, html, text };
  },
  "/backend/admin/lead/save/": async () => {
    const [row] = await scene.rig.db.sql<{ id: bigint }>`
      insert into enterprise_lead (company, contact, email, volume, message, campaign)
      values ('Firm', 'Anna', 'anna@example.org', 'much', 'Hello', '') returning id`;
    return { id: String(row?.id), version: 1, status: "contacted", note: "" };
  },
});
