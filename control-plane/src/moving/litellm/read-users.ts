import type { PeerUser } from "../model.ts";
import type { Note, Row } from "../source/model.ts";
import { lineOf, textOf } from "../source/read-values.ts";
import { fieldsOf, noteOthers, textsOf } from "./model.ts";
import { accountBudgetOf, type SharedBudgets, withBudget } from "./read-budget.ts";

/** The account of keys and teams that belong to nobody. */
export const nobody = "keys-without-a-user";

const adminRoles = new Set(["proxy_admin", "proxy_admin_viewer", "org_admin"]);
/** The forms in which that program stores passwords. */
const storedPassword = /^(?:scrypt:[A-Za-z0-9+/]{64}|[0-9a-f]{64})$/;
const notMoved = [
  ...["sso_user_id", "soft_budget", "tpd_limit", "model_max_budget", "allowed_cache_controls", "policies"],
  ...["object_permission_id", "organization_id"],
];

/** A user, and the models that keys of the user's own may call; null for all. */
export type LiteUser = { readonly user: PeerUser; readonly models: readonly string[] };

export function readUser(row: Row, note: Note, { budgets, grant }: UserMeans): LiteUser {
  const { quota, limits } = accountBudgetOf(withBudget(row, budgets), note, grant);
  const hash = textOf(row["password"]);
  if (hash !== "" && !storedPassword.test(hash)) {
    note("lost", "Its password is in an unknown form, so it is not moved. Its owner sets another one by e-mail.");
  }
  noteOthers(row, note, notMoved);
  return {
    models: textsOf(row["models"]),
    user: {
      id: textOf(row["user_id"]),
      username: "",
      email: textOf(row["user_email"]).trim(),
      displayName: lineOf(row["user_alias"]),
      passwordHash: storedPassword.test(hash) ? hash : null,
      authenticator: null,
      isAdmin: adminRoles.has(textOf(row["user_role"])),
      state: fieldsOf(row["metadata"])["scim_active"] === false ? "suspended" : "active",
      quota,
      referralQuota: 0n,
      group: "default",
      limits,
    },
  };
}

type UserMeans = { readonly budgets: SharedBudgets; readonly grant: bigint };

/** Owns what belongs to nobody there; nobody can log in as it. */
export function houseUser(quota: bigint): PeerUser {
  return {
    ...{ id: nobody, username: "", email: "", displayName: "Keys without a user", passwordHash: null },
    ...{
      authenticator: null,
      isAdmin: false,
      state: "active",
      quota,
      referralQuota: 0n,
      group: "default",
      limits: null,
    },
  };
}
