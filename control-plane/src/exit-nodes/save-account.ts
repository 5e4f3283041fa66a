import type { SaveExitAccountInput } from "@sluice/contracts/exit-nodes";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Transaction } from "../platform/db.ts";
import { takeAdvisoryLock } from "../platform/db-locks.ts";
import { AppError, doesNotExist } from "../platform/errors.ts";
import {
  type AccountFields,
  accountsPerNodeMax,
  countAccounts,
  type ExitAccount,
  insertAccount,
  lockAccount,
  updateAccount,
} from "./account-store.ts";
import type { ExitNodeDeps } from "./node-deps.ts";
import { lockNode } from "./node-store.ts";

type SaveRequest = { readonly input: SaveExitAccountInput; readonly changer: AuditOrigin };

/**
 * Creates an account of a node, or changes it; repeating a request changes nothing.
 * @throws AppError `invalid_value`, `version_conflict`
 */
export async function saveAccount(deps: ExitNodeDeps, { input, changer }: SaveRequest): Promise<ExitAccount> {
  return await deps.db.withTransaction(async (tx) => {
    await takeAdvisoryLock(tx, `exit-account:${input.account_code}`);
    const before = await lockAccount(tx, input.account_code);
    const fields = mergeAccount(before, input);
    if (before !== null && isEqualAccount(before, fields)) {
      return before;
    }
    if (input.version !== undefined && input.version !== before?.version) {
      throw new AppError("version_conflict");
    }
    if (before === null) {
      await addAccount(tx, fields, input.node_code);
    } else {
      await updateAccount(tx, fields);
    }
    const after = await lockAccount(tx, input.account_code);
    if (after === null) {
      throw new Error(`account ${input.account_code} is missing after it was saved`);
    }
    await deps.channels.alignAbilities(tx);
    await audit(tx, changer, "exit-node.account.save", {
      subjectKind: "exit-provider-account",
      subjectId: after.accountCode,
      before,
      after,
    });
    return after;
  });
}

function mergeAccount(before: ExitAccount | null, input: SaveExitAccountInput): AccountFields {
  if (before !== null && input.node_code !== undefined && input.node_code !== before.nodeCode) {
    throw new AppError("invalid_value", { fields: { node_code: "An account can't move to another node." } });
  }
  const provider = input.provider ?? before?.provider;
  const authType = input.auth_type ?? before?.authType;
  if (provider === undefined || authType === undefined) {
    const name = provider === undefined ? "provider" : "auth_type";
    throw new AppError("invalid_value", { fields: { [name]: "Required for a new account." } });
  }
  const status = input.status ?? before?.status ?? (authType === "api_key" ? "testing" : "standby");
  if (authType === "oauth_refresh_token" && status !== "standby" && status !== "disabled") {
    throw new AppError("invalid_value", {
      fields: { status: "Refresh tokens must stay in standby; they are not used." },
    });
  }
  const nodeAccount = input.node_account === undefined ? (before?.nodeAccount ?? null) : input.node_account;
  return { accountCode: input.account_code, provider, authType, status, nodeAccount };
}

function isEqualAccount(before: ExitAccount, fields: AccountFields): boolean {
  return (Object.keys(fields) as (keyof AccountFields)[]).every((name) => before[name] === fields[name]);
}

async function addAccount(tx: Transaction, fields: AccountFields, nodeCode: string | undefined): Promise<void> {
  const node = nodeCode === undefined ? null : await lockNode(tx, nodeCode);
  if (node === null) {
    throw new AppError("invalid_value", { fields: { node_code: doesNotExist("exit node") } });
  }
  if ((await countAccounts(tx, node.id)) >= accountsPerNodeMax) {
    throw new AppError("invalid_value", {
      fields: { node_code: `This node already has ${accountsPerNodeMax} accounts.` },
    });
  }
  // Another request may have created it since our check.
  if (!(await insertAccount(tx, node.id, fields))) {
    throw new AppError("version_conflict");
  }
}
