import type { UserId } from "@sluice/contracts/ids";
import { redemptionAttempts } from "@sluice/control-plane/accounts/attempts/sender-limits.ts";
import { keptAct } from "@sluice/control-plane/admin/approvals/service.ts";
import { createBatchAct } from "@sluice/control-plane/payments/codes/code-batches.ts";
import { codeAdminEndpoints, redeemEndpoint } from "@sluice/control-plane/payments/codes/routes.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { loginAdmin, loginUser, sessionsOf, type UserLogin } from "../accounts/logins.ts";
import { type EndpointServer, serveEndpoints } from "../service/endpoint-server.ts";
import { masterKeyBytes } from "../service/sluice.ts";
import { openApprovals } from "./admin-billing.ts";
import { BillingScene, type Buyer } from "./billing-scene.ts";

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** A database with plans, an admin who makes codes, and the endpoints for both sides. */
export class CodeScene implements AsyncDisposable {
  readonly billing: BillingScene;
  readonly http: EndpointServer;
  readonly adminCookie: string;

  private constructor(billing: BillingScene, http: EndpointServer, adminCookie: string) {
    this.billing = billing;
    this.http = http;
    this.adminCookie = adminCookie;
  }

  static async create(): Promise<CodeScene> {
    const billing = await BillingScene.create();
    const { db, deps } = billing;
    const masterKey = new MasterKey(masterKeyBytes);
    const createBatch = createBatchAct(masterKey);
    const approvals = openApprovals(db, deps.mail, { acts: [keptAct(createBatch)] });
    const endpoints = [
      redeemEndpoint(deps, redemptionAttempts(db)),
      ...codeAdminEndpoints({ db, masterKey, approvals, createBatch }),
    ];
    const { cookie } = await loginAdmin(billing);
    return new CodeScene(billing, serveEndpoints(endpoints, sessionsOf(db)), cookie);
  }

  async post(path: string, body: unknown, cookie: string, key?: string): Promise<Answer> {
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

  /** @param key by default another one each time */
  async asAdmin(operation: "create" | "codes" | "revoke", body: object, key = crypto.randomUUID()): Promise<Answer> {
    return await this.post(`/backend/admin/code-batch/${operation}/`, body, this.adminCookie, key);
  }

  /** Makes a batch, and exports its codes. */
  async make(batch: object): Promise<{ readonly batchId: number; readonly codes: readonly string[] }> {
    const made = await this.asAdmin("create", { name: "Gift card", count: 1, ...batch });
    if (made.status !== 200) {
      throw new Error(`no batch was made: ${JSON.stringify(made.body)}`);
    }
    const { batch_id: batchId } = made.body["batch"] as { batch_id: number };
    const { body } = await this.asAdmin("codes", { batch_id: batchId });
    return { batchId, codes: body["codes"] as string[] };
  }

  async login(): Promise<UserLogin> {
    return await loginUser(this.billing);
  }

  async redeem(code: string, { cookie }: { readonly cookie: string }): Promise<Answer> {
    return await this.post("/backend/billing/code/redeem/", { code }, cookie);
  }

  async balance(userId: UserId): Promise<bigint> {
    return await this.billing.balance((await this.billing.buyerOf(userId)) satisfies Buyer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http.stop();
    await this.billing[Symbol.asyncDispose]();
  }
}
