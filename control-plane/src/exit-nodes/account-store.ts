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

type AccountRow = {
  id: bigint;
  account_code: string;
  node_code: string;
  provider: string;
  auth_type: ExitAccount["authType"];
  status: ExitAccount["status"];
  node_account: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

function toAccount(row: AccountRow): ExitAccount {
  return {
    id: row.id,
    accountCode: row.account_code,
    nodeCode: row.node_code,
    provider: row.provider,
    authType: row.auth_type,
    status: row.status,
    nodeAccount: row.node_account,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** All accounts, or those of one node. */
export async function selectAccounts(db: Queryable, nodeCode: string | null): Promise<ExitAccount[]> {
  const rows = await db.sql<AccountRow>`
    select a.*, n.node_code from exit_provider_account a join exit_node n on n.id = a.exit_node_id
    where ${nodeCode}::text is null or n.node_code = ${nodeCode} order by n.node_code, a.account_code
    limit ${listedMax}::int`;
  return rows.map(toAccount);
}

export async function lockAccount(tx: Queryable, accountCode: string): Promise<ExitAccount | null> {
  const [row] = await tx.sql<AccountRow>`
    select a.*, n.node_code from exit_provider_account a join exit_node n on n.id = a.exit_node_id
    where a.account_code = ${accountCode} for update of a`;
  return row === undefined ? null : toAccount(row);
}

export type AccountFields = Pick<ExitAccount, "accountCode" | "provider" | "authType" | "status" | "nodeAccount">;

/** Returns false when the code is taken. */
export async function insertAccount(tx: Queryable, nodeId: bigint, account: AccountFields): Promise<boolean> {
  const rows = await tx.sql`
    insert into exit_provider_account (account_code, exit_node_id, provider, auth_type, status, node_account)
    values (${account.accountCode}, ${nodeId}::bigint, ${account.provider}, ${account.authType}, ${account.status},
      ${account.nodeAccount})
    on conflict (account_code) do nothing returning 1`;
  return rows.length > 0;
}

export async function updateAccount(tx: Queryable, account: AccountFields): Promise<void> {
  await tx.sql`
    update exit_provider_account set provider = ${account.provider}, auth_type = ${account.authType},
      status = ${account.status}, node_account = ${account.nodeAccount}, version = version + 1, updated_at = now()
    where account_code = ${account.accountCode}`;
}

export async function countAccounts(tx: Queryable, nodeId: bigint): Promise<number> {
  const [row] = await tx.sql<{ accounts: bigint }>`
    select count(*) as accounts from exit_provider_account where exit_node_id = ${nodeId}::bigint`;
  return Number(row?.accounts ?? 0n);
}
