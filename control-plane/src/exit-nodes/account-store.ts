import { asc, eq } from "drizzle-orm";
import { countOfRows, now, plusOne } from "../db/expressions.ts";
import { exitProviderAccount as account, exitNode } from "../db/schema/exit-nodes.ts";
import type { Queryable } from "../platform/db.ts";

export const accountsPerNodeMax = 100;
const listedMax = 5_000;

export type ExitAccount = {
  readonly id: bigint;
  readonly accountCode: string;
  readonly nodeCode: string;
  readonly provider: string;
  readonly authType: "api_key" | "oauth_refresh_token";
  readonly status: "testing" | "active" | "standby" | "disabled";
  readonly nodeAccount: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const selectAll = (db: Queryable) =>
  db.drizzle
    .select({
      id: account.id,
      accountCode: account.accountCode,
      nodeCode: exitNode.nodeCode,
      provider: account.provider,
      authType: account.authType,
      status: account.status,
      nodeAccount: account.nodeAccount,
      version: account.version,
      createdAt: account.createdAt,
      updatedAt: account.updatedAt,
    })
    .from(account)
    .innerJoin(exitNode, eq(exitNode.id, account.exitNodeId));

/** All accounts, or those of one node. */
export async function selectAccounts(db: Queryable, nodeCode: string | null): Promise<ExitAccount[]> {
  return await selectAll(db)
    .where(nodeCode === null ? undefined : eq(exitNode.nodeCode, nodeCode))
    .orderBy(asc(exitNode.nodeCode), asc(account.accountCode))
    .limit(listedMax);
}

export async function lockAccount(tx: Queryable, accountCode: string): Promise<ExitAccount | null> {
  const [row] = await selectAll(tx).where(eq(account.accountCode, accountCode)).for("update", { of: account });
  return row ?? null;
}

export type AccountFields = Pick<ExitAccount, "accountCode" | "provider" | "authType" | "status" | "nodeAccount">;

/** Returns false when the code is taken. */
export async function insertAccount(tx: Queryable, nodeId: bigint, fields: AccountFields): Promise<boolean> {
  const { accountCode, provider, authType, status, nodeAccount } = fields;
  const rows = await tx.drizzle
    .insert(account)
    .values({ accountCode, exitNodeId: nodeId, provider, authType, status, nodeAccount })
    .onConflictDoNothing({ target: account.accountCode })
    .returning({ id: account.id });
  return rows.length > 0;
}

export async function updateAccount(tx: Queryable, fields: AccountFields): Promise<void> {
  const { accountCode, provider, authType, status, nodeAccount } = fields;
  await tx.drizzle
    .update(account)
    .set({ provider, authType, status, nodeAccount, version: plusOne(account.version), updatedAt: now })
    .where(eq(account.accountCode, accountCode));
}

export async function countAccounts(tx: Queryable, nodeId: bigint): Promise<number> {
  const [row] = await tx.drizzle.select({ accounts: countOfRows }).from(account).where(eq(account.exitNodeId, nodeId));
  return row?.accounts ?? 0;
}
