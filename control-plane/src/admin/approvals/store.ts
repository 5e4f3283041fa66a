import type { ActKind, Effects } from "@sluice/contracts/approvals";
import type { Queryable } from "../../platform/db.ts";
import type { AllowanceKind, Amount, Approval, ApprovalStatus } from "./model.ts";

/** Adds to what an admin has moved on the current UTC day of the database; locks the row until the transaction ends. */
export async function countAmount(tx: Queryable, adminId: bigint, { kind, quota }: Amount): Promise<bigint> {
  const [row] = await tx.sql<{ quota: bigint }>`
    insert into admin_allowance (admin_id, day, kind, quota)
    values (${adminId}::bigint, (now() at time zone 'utc')::date, ${kind}, ${quota}::bigint)
    on conflict (admin_id, day, kind) do update set quota = admin_allowance.quota + excluded.quota
    returning quota`;
  if (row === undefined) {
    throw new Error("the amount was not counted");
  }
  return row.quota;
}

/** What an admin has moved today. */
export async function readCounted(db: Queryable, adminId: bigint, kind: AllowanceKind): Promise<bigint> {
  const [row] = await db.sql<{ quota: bigint }>`
    select quota from admin_allowance
    where admin_id = ${adminId}::bigint and day = (now() at time zone 'utc')::date and kind = ${kind}`;
  return row?.quota ?? 0n;
}

type Row = {
  id: bigint;
  kind: ActKind;
  input: unknown;
  reason: string;
  effects: Effects;
  requested_by: bigint;
  requested_by_name: string;
  request_id: string;
  ip: string;
  idempotency_key: string;
  status: ApprovalStatus;
  expires_at: Date;
  decided_by_name: string | null;
  decided_at: Date | null;
  decision_reason: string | null;
  created_at: Date;
};

function toApproval(row: Row): Approval {
  return {
    id: row.id,
    kind: row.kind,
    input: row.input,
    reason: row.reason,
    effects: row.effects,
    requestedBy: row.requested_by,
    requestedByName: row.requested_by_name,
    requestId: row.request_id,
    ip: row.ip,
    idempotencyKey: row.idempotency_key,
    status: row.status,
    expiresAt: row.expires_at,
    decidedByName: row.decided_by_name,
    decidedAt: row.decided_at,
    decisionReason: row.decision_reason,
    createdAt: row.created_at,
  };
}

const fields = `id, kind, input, reason, effects, requested_by, requested_by_name, request_id, ip, idempotency_key,
  case when status = 'pending' and expires_at <= now() then 'expired' else status end as status, expires_at,
  decided_by_name, decided_at, decision_reason, created_at`;

export type NewApproval = Pick<
  Approval,
  "kind" | "reason" | "effects" | "requestedBy" | "requestedByName" | "requestId" | "ip" | "idempotencyKey"
> & {
  /** JSON text. */
  readonly input: string;
  readonly hours: number;
};

/** Creates a request; null when one of the same kind and key is already waiting. */
export async function insertApproval(tx: Queryable, made: NewApproval): Promise<Approval | null> {
  const [row] = await tx.query<Row>(
    `insert into approval (kind, input, reason, effects, requested_by, requested_by_name, request_id, ip, idempotency_key,
       expires_at)
     values ($1, $2::text::jsonb, $3, $4::text::jsonb, $5::bigint, $6, $7, $8, $9, now() + make_interval(hours => $10::int))
     on conflict (kind, idempotency_key) where status = 'pending' do nothing returning ${fields}`,
    [
      made.kind,
      made.input,
      made.reason,
      JSON.stringify(made.effects),
      made.requestedBy,
      made.requestedByName,
      made.requestId,
      made.ip,
      made.idempotencyKey,
      made.hours,
    ],
  );
  return row === undefined ? null : toApproval(row);
}

export async function findPending(tx: Queryable, kind: ActKind, idempotencyKey: string): Promise<Approval | null> {
  const [row] = await tx.query<Row>(
    `select ${fields} from approval where kind = $1 and idempotency_key = $2 and status = 'pending'`,
    [kind, idempotencyKey],
  );
  return row === undefined ? null : toApproval(row);
}

export async function findApproval(db: Queryable, id: bigint): Promise<Approval | null> {
  const [row] = await db.query<Row>(`select ${fields} from approval where id = $1::bigint`, [id]);
  return row === undefined ? null : toApproval(row);
}

/** The request, locked until the end of the transaction. */
export async function lockApproval(tx: Queryable, id: bigint): Promise<Approval | null> {
  const [row] = await tx.query<Row>(`select ${fields} from approval where id = $1::bigint for update`, [id]);
  return row === undefined ? null : toApproval(row);
}

/** Waiting requests first, then the others; each newest first. */
export async function listApprovals(db: Queryable, limit: number): Promise<Approval[]> {
  const rows = await db.query<Row>(
    `select ${fields} from approval order by status = 'pending' and expires_at > now() desc, id desc limit $1::int`,
    [limit],
  );
  return rows.map(toApproval);
}

/** How many requests wait. */
export async function countPending(db: Queryable): Promise<bigint> {
  const [row] = await db.sql<{ count: bigint }>`
    select count(*) as count from approval where status = 'pending' and expires_at > now()`;
  return row?.count ?? 0n;
}

/** Stores the encrypted part of the input with the request. */
export async function keepSealed(tx: Queryable, id: bigint, sealed: Uint8Array): Promise<void> {
  await tx.sql`update approval set sealed = ${sealed} where id = ${id}::bigint`;
}

export async function findSealed(tx: Queryable, id: bigint): Promise<Uint8Array | null> {
  const [row] = await tx.sql<{ sealed: Uint8Array | null }>`select sealed from approval where id = ${id}::bigint`;
  return row?.sealed ?? null;
}

/** Deletes the encrypted part, which is no longer needed. */
export async function closeApproval(
  tx: Queryable,
  id: bigint,
  end: {
    readonly status: "approved" | "rejected";
    readonly adminId: bigint;
    readonly adminName: string;
    readonly reason: string;
  },
): Promise<void> {
  await tx.sql`
    update approval set status = ${end.status}, decided_by = ${end.adminId}::bigint, decided_by_name = ${end.adminName},
      decided_at = now(), decision_reason = ${end.reason}, sealed = null, updated_at = now()
    where id = ${id}::bigint`;
}

/** Marks requests that have expired, so that the same can be requested again. */
export async function expireApprovals(db: Queryable): Promise<void> {
  await db.sql`
    update approval set status = 'expired', sealed = null, updated_at = now() where status = 'pending' and expires_at <= now()`;
}

/** Only today's amounts count; a week is kept for inspection. */
export async function deleteOldAllowances(db: Queryable): Promise<void> {
  await db.sql`delete from admin_allowance where day < (now() at time zone 'utc')::date - 7`;
}
