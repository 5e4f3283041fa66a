import type { Transaction } from "../../platform/db.ts";
import type { AuditChange, AuditOrigin } from "./model.ts";
import { insertAuditEntry } from "./store.ts";

/**
 * Records a change in the transaction that makes it, so that no change lacks an entry.
 * @param action what was done, such as `plan.save`
 */
export async function audit(tx: Transaction, origin: AuditOrigin, action: string, change: AuditChange): Promise<void> {
  await insertAuditEntry(tx, origin, action, change);
}

type TokenName = { readonly tokenName?: string | undefined };
type AdminName = TokenName & { readonly adminId: bigint; readonly username: string };
/** The address is null for users known only through a link. */
type UserName = TokenName & { readonly userId: bigint; readonly email: string | null };
type Place = { readonly requestId: string; readonly ip: string };
type Call = { readonly requestId: string; readonly clientIp: string };

export function byAdmin({ adminId, username, tokenName }: AdminName, { requestId, ip }: Place): AuditOrigin {
  return { actor: { kind: "admin", id: adminId, name: username, token: tokenName }, requestId, ip };
}

export function byUser({ userId, email, tokenName }: UserName, { requestId, ip }: Place): AuditOrigin {
  return { actor: { kind: "user", id: userId, name: email ?? userId.toString(), token: tokenName }, requestId, ip };
}

/** The caller of an endpoint. */
export function byCaller(call: Call & ({ readonly admin: AdminName } | { readonly user: UserName })): AuditOrigin {
  const place = { requestId: call.requestId, ip: call.clientIp };
  return "admin" in call ? byAdmin(call.admin, place) : byUser(call.user, place);
}

/** A command on the server. */
export function byCommand(name: string): AuditOrigin {
  return { actor: { kind: "command", id: null, name } };
}

/** The program itself. */
export function bySystem(name: string): AuditOrigin {
  return { actor: { kind: "system", id: null, name } };
}
