import { redemptionAttempts } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { keptAct } from "@sluice/control-plane/admin/approvals/service.ts";
import { createCouponAct } from "@sluice/control-plane/payments/coupons/create-coupon.ts";
import { checkCouponEndpoint, couponAdminEndpoints } from "@sluice/control-plane/payments/coupons/routes.ts";
import { billingEndpoints } from "@sluice/control-plane/payments/routes.ts";
import { loginAdmin, loginUser, sessionsOf, type UserLogin } from "../accounts/logins.ts";
import { type EndpointServer, serveEndpoints } from "../service/endpoint-server.ts";
import { openApprovals, usualRules } from "./admin-billing.ts";
import { BillingScene } from "./billing-scene.ts";
import type { Answer } from "./code-scene.ts";

/** A database with plans, an admin who makes coupons, and the endpoints for both sides. */
export class CouponScene implements AsyncDisposable {
  readonly billing: BillingScene;
  readonly http: EndpointServer;
  readonly adminCookie: string;

  private constructor(billing: BillingScene, http: EndpointServer, adminCookie: string) {
    this.billing = billing;
    this.http = http;
    this.adminCookie = adminCookie;
  }

  static async create(): Promise<CouponScene> {
    const billing = await BillingScene.create();
    const { db, deps } = billing;
    const createCoupon = createCouponAct();
    const approvals = openApprovals(db, deps.mail, {
      acts: [keptAct(createCoupon)],
      rules: () => ({ ...usualRules, secondPersonAboveUsd: 1_000_000 }),
    });
    const codeAttempts = redemptionAttempts(db);
    const guests = { count: () => Promise.resolve(), networkOf: (ip: string) => ip };
    const callers = sessionsOf(db);
    const endpoints = [
      ...billingEndpoints({ ...deps, isMockOffered: true, guests, codeAttempts, admins: callers }),
      checkCouponEndpoint(deps, codeAttempts),
      ...couponAdminEndpoints({ db, approvals, createCoupon }),
    ];
    const { cookie } = await loginAdmin(billing);
    return new CouponScene(billing, serveEndpoints(endpoints, callers), cookie);
  }

  async post(path: string, body: unknown, cookie = "", key?: string): Promise<Answer> {
    const response = await fetch(`${this.http.url}${path}`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", origin: this.http.url, cookie },
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  }

  async asAdmin(operation: "create" | "revoke", body: object, key: string = crypto.randomUUID()): Promise<Answer> {
    return await this.post(`/backend/admin/coupon/${operation}/`, body, this.adminCookie, key);
  }

  /** Makes a coupon, of 25 % if nothing else is said; returns its code. */
  async make(terms: object = {}): Promise<string> {
    const code = `C${crypto.randomUUID().slice(0, 8).toUpperCase()}`;
    const kind = "amount_usd" in terms ? { kind: "amount" } : { kind: "percent", percent: "25" };
    const made = await this.asAdmin("create", { code, ...kind, uses_max: 10, ...terms });
    if (made.status !== 200 || made.body["coupon"] === undefined) {
      throw new Error(`no coupon was made: ${JSON.stringify(made.body)}`);
    }
    return code;
  }

  async login(): Promise<UserLogin> {
    return await loginUser(this.billing);
  }

  async check(code: string, { cookie }: UserLogin, bought: object = { plan_code: "credit" }): Promise<Answer> {
    return await this.post("/backend/billing/coupon/check/", { ...bought, coupon_code: code }, cookie);
  }

  /** Places an order with a coupon. */
  async buy(code: string, { cookie }: { readonly cookie: string }, bought: object = {}, key?: string): Promise<Answer> {
    const order = { plan_code: "credit", coupon_code: code, ...bought };
    return await this.post("/backend/billing/order/create/", order, cookie, key);
  }

  /** What the database says about a coupon. */
  async usesOf(code: string): Promise<{ readonly uses: number; readonly states: string }> {
    const [row] = await this.billing.db.sql<{ uses: number; states: string }>`
      select c.uses, coalesce((select string_agg(u.state, ' ' order by u.id) from coupon_use u where u.coupon_id = c.id), '') as states
      from coupon c where c.code = ${code}`;
    if (row === undefined) {
      throw new Error(`there is no coupon ${code}`);
    }
    return row;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http.stop();
    await this.billing[Symbol.asyncDispose]();
  }
}
