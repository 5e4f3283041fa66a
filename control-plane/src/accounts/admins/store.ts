import type { AdminEntry } from "@sluice/contracts/accounts";
import type { Queryable } from "../../platform/db.ts";
import { sessionRules } from "../sessions/model.ts";

export type AdminCredentials = {
  readonly id: bigint;
  readonly username: string;
  readonly passwordHash: string;
  /** 0 nobody, 1 admin, 2 super-admin. */
  readonly agent: number;
  readonly hasCode: boolean;
};

type Row = { id: bigint; username: string; password_hash: string; agent: number; has_code: boolean };

const toCredentials = (row: Row | undefined): AdminCredentials | null =>
  row === undefined
    ? null
    : {
        id: row.id,
        username: row.username,
        passwordHash: row.password_hash,
        agent: row.agent,
        hasCode: row.has_code,
      };

/**
 * The credentials that a login refers to: by username, else by email, else by mobile number. A user whose username is
 * another person's email can't be mistaken for that person.
 */
export async function findAdminByLogin(db: Queryable, login: string): Promise<AdminCredentials | null> {
  const [row] = await db.sql<Row>`
    select id, username, password_hash, agent, totp_enabled_at is not null as has_code from shared_admin_credentials
    where lower(username) = lower(${login}) or lower(email) = lower(${login}) or mobile = ${login}
    order by lower(username) = lower(${login}) desc, lower(email) = lower(${login}) desc nulls last, id limit 1`;
  return toCredentials(row);
}

export async function findAdminById(db: Queryable, id: bigint): Promise<AdminCredentials | null> {
  const [row] = await db.sql<Row>`
    select id, username, password_hash, agent, totp_enabled_at is not null as has_code from shared_admin_credentials
    where id = ${id}::bigint`;
  return toCredentials(row);
}

/** Whether this is still the admin's password; the row stays locked until the end of the transaction. */
export async function holdAdmin(db: Queryable, { id, passwordHash, hasCode }: AdminCredentials): Promise<boolean> {
  const rows = await db.sql`
    select 1 from shared_admin_credentials
    where id = ${id}::bigint and password_hash = ${passwordHash} and agent > 0
      and (totp_enabled_at is null or ${hasCode}) for share`;
  return rows.length > 0;
}

export async function setAdminPassword(db: Queryable, id: bigint, passwordHash: string): Promise<void> {
  await db.sql`
    update shared_admin_credentials set password_hash = ${passwordHash}, updated_at = now() where id = ${id}::bigint`;
}

/** Replaces an admin's password if the old one is still current. Returns whether it was. */
export async function replaceAdminPassword(
  db: Queryable,
  id: bigint,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const rows = await db.sql`
    update shared_admin_credentials set password_hash = ${newHash}, updated_at = now()
    where id = ${id}::bigint and password_hash = ${oldHash} and agent > 0 returning 1`;
  return rows.length > 0;
}

export type NewAdmin = {
  readonly username: string;
  readonly email: string | null;
  readonly mobile: string | null;
  readonly passwordHash: string;
  readonly agent: number;
};

/** Returns null when the username, email or mobile number is taken. */
export async function insertAdmin(db: Queryable, admin: NewAdmin): Promise<bigint | null> {
  const [row] = await db.sql<{ id: bigint }>`
    insert into shared_admin_credentials (username, email, mobile, password_hash, agent)
    values (${admin.username}, ${admin.email}, ${admin.mobile}, ${admin.passwordHash}, ${admin.agent}::int)
    on conflict do nothing returning id`;
  return row?.id ?? null;
}

export async function hasAdmin(db: Queryable): Promise<boolean> {
  const rows = await db.sql`select 1 from shared_admin_credentials where agent > 0 limit 1`;
  return rows.length > 0;
}

/** The profile that users see for this admin; created if missing. */
export async function touchSupportProfile(db: Queryable, adminId: bigint, displayName: string): Promise<void> {
  await db.sql`
    insert into support_profile (admin_id, display_name, last_login_at)
    values (${adminId}::bigint, ${displayName}, now())
    on conflict (admin_id) do update set last_login_at = now(), updated_at = now()`;
}

/** Lists this person among the admins from now on, even without a login or rights. */
export async function insertSupportProfile(db: Queryable, adminId: bigint, displayName: string): Promise<void> {
  await db.sql`insert into support_profile (admin_id, display_name) values (${adminId}::bigint, ${displayName})`;
}

const adminsMax = 1_000;
const entry = `a.id as admin_id, a.username, a.email, a.mobile, a.agent, a.totp_enabled_at is not null as has_totp,
  p.last_login_at, a.created_at, a.updated_at,
  (select count(*) from session s where s.admin_id = a.id and s.revoked_at is null and s.expires_at > now()
    and s.seen_at > now() - make_interval(secs => ${sessionRules.admin.idleSeconds}) and a.agent > 0) as sessions`;
const entries = "shared_admin_credentials a left join support_profile p on p.admin_id = a.id";

/** Admins, those with the most rights first. Rows that never were admins are users of other programs. */
export async function listAdmins(db: Queryable): Promise<AdminEntry[]> {
  return await db.query<AdminEntry>(
    `select ${entry} from ${entries} where a.agent > 0 or p.id is not null order by a.agent desc, a.id limit ${adminsMax}`,
    [],
  );
}

export async function findAdminEntry(db: Queryable, id: bigint): Promise<AdminEntry | null> {
  const [row] = await db.query<AdminEntry>(`select ${entry} from ${entries} where a.id = $1::bigint`, [id]);
  return row ?? null;
}

/** Locks every super-admin and one more person until the end of the transaction, always in the same order. */
export async function holdRights(tx: Queryable, id: bigint): Promise<{ id: bigint; agent: number }[]> {
  return await tx.sql<{ id: bigint; agent: number }>`
    select id, agent from shared_admin_credentials where agent >= 2 or id = ${id}::bigint order by id for update`;
}

/** Whether all of them are super-admins; locks them until the end of the transaction. */
export async function holdSuperRights(tx: Queryable, ids: readonly bigint[]): Promise<boolean> {
  const rows = await tx.sql`
    select 1 from shared_admin_credentials
    where agent >= 2 and id = any (${`{${ids.join(",")}}`}::bigint[]) order by id for share`;
  return rows.length === new Set(ids).size;
}

export async function setAgent(tx: Queryable, id: bigint, agent: number): Promise<void> {
  await tx.sql`
    update shared_admin_credentials set agent = ${agent}::int, updated_at = now() where id = ${id}::bigint`;
}

/** The super-admins affected by another super-admin's request, if they can be reached by email. */
export async function listOtherSuperAdmins(db: Queryable, id: bigint): Promise<{ id: bigint; email: string }[]> {
  return await db.sql<{ id: bigint; email: string }>`
    select id, email from shared_admin_credentials
    where agent >= 2 and id <> ${id}::bigint and email is not null order by id limit ${adminsMax}::int`;
}
