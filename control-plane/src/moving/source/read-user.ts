import type { ImportedAuthenticator } from "../../accounts/totp/imported-authenticator.ts";
import type { AccountState, PeerUser } from "../model.ts";
import type { Note, Row } from "./model.ts";
import { lineOf, textOf, wholeOf } from "./read-values.ts";

const states: Readonly<Record<string, AccountState>> = { "1": "active", "2": "suspended", "3": "closed" };
const adminRoleMin = 10n;
/** 32-bit columns end here. */
const clippedQuota = 2_147_483_647n;
/** A higher cost would keep a processor busy for minutes at each login. */
const bcryptHash = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

const services = ["github", "oidc", "lark", "wechat", "telegram", "linux_do", "discord"];

/** Names and ids of other services are never linked by themselves: a name that was given up can be someone else's now. */
function noteSignIns(row: Row, note: Note, hasPassword: boolean): void {
  const linked = services.filter((service) => textOf(row[`${service}_id`]) !== "");
  if (linked.length > 0) {
    const way = hasPassword ? "its owner logs in by password" : "its owner sets a password by e-mail";
    note("lost", `Its sign-in with ${linked.join(" and ")} is not moved: ${way}, and links the service again.`);
  }
}

/** A row of `users`, which both programs write. */
export function readUser(row: Row, note: Note, authenticators: ReadonlyMap<string, ImportedAuthenticator>): PeerUser {
  const status = wholeOf(row["status"]);
  const isDeleted = textOf(row["deleted_at"]) !== "";
  const known = states[status.toString()];
  if (known === undefined) {
    note("note", `The status ${status} is unknown; the account is suspended here.`);
  }
  const quota = wholeOf(row["quota"]);
  if (quota === clippedQuota) {
    note("decide", "The balance is the most that a 32-bit column holds: it may have been more.");
  }
  const hash = textOf(row["password"]);
  const isHash = bcryptHash.test(hash);
  if (hash !== "" && !isHash) {
    note("lost", "The password is not stored as bcrypt, or at an unusual cost. Its owner sets another one by e-mail.");
  }
  noteSignIns(row, note, hash !== "");
  const id = textOf(row["id"]);
  const state = isDeleted ? "closed" : (known ?? "suspended");
  return {
    id,
    username: textOf(row["username"]),
    email: textOf(row["email"]).trim(),
    displayName: lineOf(row["display_name"]),
    passwordHash: isHash ? hash : null,
    // Nobody logs in to a closed account.
    authenticator: state === "closed" ? null : (authenticators.get(id) ?? null),
    isAdmin: wholeOf(row["role"]) >= adminRoleMin,
    state,
    quota,
    referralQuota: wholeOf(row["aff_quota"]),
    group: textOf(row["group"]).trim() || "default",
    limits: null,
  };
}
