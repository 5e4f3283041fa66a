import { expect } from "bun:test";
import { type SluiceProcess, SluiceRig } from "../service/sluice.ts";
import { AccountClient, type CallOptions } from "./account-client.ts";
import { type ConsoleClient, consoleClient } from "./console-client.ts";
import { loginAdmin } from "./logins.ts";
import { clientSecret, ScriptedIssuer } from "./scripted-issuer.ts";
import { SignInBrowser } from "./sign-in-browser.ts";

export const registrationPath = "/backend/admin/registration/";
export const newcomersPassword = "correct horse battery";

export const unlimited = {
  ...{ mode: "open", domains: [], refused_domains: [], proof_bits: 0, credit_quota: 0, credits_per_day: 0 },
  ...{ credits_per_network_day: 0, credits_per_network: 0, credits_per_device_day: 0, credits_per_device: 0 },
};

export type Invitation = { readonly invitation_id: number; readonly code: string; readonly link: string };

/** A service where people register, with a password or by the issuer `acme`, and an admin who sets the rules. */
export class RegistrationScene {
  readonly rig: SluiceRig;
  readonly sluice: SluiceProcess;
  readonly client: AccountClient;
  readonly issuer: ScriptedIssuer;
  #people = 0;

  private constructor(rig: SluiceRig, sluice: SluiceProcess, issuer: ScriptedIssuer) {
    this.rig = rig;
    this.sluice = sluice;
    this.client = new AccountClient(sluice);
    this.issuer = issuer;
  }

  static async start(): Promise<RegistrationScene> {
    const [rig, issuer] = await Promise.all([SluiceRig.create("http://127.0.0.1:9"), ScriptedIssuer.start()]);
    const env = { CLIENT_IP_HEADER: "x-forwarded-for", ROLES: "relay,gateway,backend" };
    const scene = new RegistrationScene(rig, await rig.start("one-process", env), issuer);
    await (await scene.asAdmin()).post("/backend/admin/sign-in-provider/save/", {
      ...{ slug: "acme", kind: "oidc", label: "Acme", issuer: issuer.url, client_id: issuer.clientId },
      ...{ client_secret: clientSecret, is_enabled: true, may_register: true, reason: "for a test" },
    });
    return scene;
  }

  async close(): Promise<void> {
    expect(await this.rig.checkMoney()).toEqual([]);
    await Promise.all([this.rig.close(), this.issuer.close()]);
  }

  async asAdmin(): Promise<ConsoleClient> {
    const { cookie } = await loginAdmin(this.rig);
    return consoleClient(this.sluice.url, cookie);
  }

  async setRules(rules: object): Promise<void> {
    const admin = await this.asAdmin();
    const { body } = await admin.get(registrationPath);
    const { updated_at } = body["rules"] as { updated_at: string };
    const wish = { ...unlimited, ...rules, updated_at, reason: "for a test" };
    expect((await admin.post(`${registrationPath}save/`, wish)).status).toBe(200);
  }

  async invite(more: object = {}): Promise<Invitation> {
    const wish = { name: "a team", uses_max: 1, reason: "for a test", ...more };
    const made = await (await this.asAdmin()).post(`${registrationPath}invitation/create/`, wish);
    expect(made.status).toBe(200);
    return made.body["invitation"] as Invitation;
  }

  freshEmail(domain = "example.org"): string {
    this.#people += 1;
    return `newcomer${this.#people}@${domain}`;
  }

  register(email: string, more: object = {}, options: CallOptions = {}) {
    // Every person has a network, unless a test says otherwise.
    const ip = `10.${this.#people >> 8}.${this.#people & 255}.1`;
    const password = newcomersPassword;
    return this.client.post("/backend/auth/register/", { email, password, ...more }, { ip, ...options });
  }

  async verify(url: string | undefined) {
    const { pathname, search } = new URL(url ?? "");
    return await this.client.get(`${pathname}${search}`);
  }

  async join(email: string, more: object = {}, options: CallOptions = {}): Promise<void> {
    const registered = await this.register(email, more, options);
    expect(registered.status).toBe(202);
    expect((await this.verify(registered.body.verification_url)).status).toBe(200);
  }

  /** What the books say that somebody got, and how that was decided. */
  async creditOf(email: string) {
    const [row] = await this.rig.db.sql<{ balance: bigint; refusal: string | null; group: string }>`
      select coalesce(a.balance, 0) as balance, r.credit_refusal as refusal, g.group_name as group
      from user_profile p join user_registration r on r.user_id = p.id
      join gateway_user g on g.id = p.gateway_user_id
      left join ledger_account a on a.gateway_user_id = p.gateway_user_id where p.email = ${email}`;
    return row ?? null;
  }

  async signIn(email: string) {
    const answer = { sub: email, email, email_verified: true };
    return await new SignInBrowser(this.sluice.url).signIn("acme", this.issuer, answer);
  }
}
