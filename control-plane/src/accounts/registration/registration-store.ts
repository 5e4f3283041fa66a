import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { CreditRefusal, RegistrationMode } from "@sluice/contracts/registration-rules";
import {
  and,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { ago, clock, now } from "../../db/expressions.ts";
import { userProfile as profile } from "../../db/schema/accounts.ts";
import {
  registrationInvitation as invitation,
  userRegistration as registration,
  registrationRules as rules,
} from "../../db/schema/registration.ts";
import type { Queryable } from "../../platform/db.ts";

export type RegistrationRules = {
  readonly mode: RegistrationMode;
  readonly domains: readonly string[];
  readonly refusedDomains: readonly string[];
  /** 0 asks for no proof. */
  readonly proofBits: number;
  readonly creditQuota: bigint;
  /** How often credit is paid; 0 means unlimited. */
  readonly creditsPerNetworkDay: number;
  readonly creditsPerNetwork: number;
  readonly creditsPerDeviceDay: number;
  readonly creditsPerDevice: number;
  readonly creditsPerDay: number;
  readonly updatedAt: Date;
};

const ruleColumns = {
  mode: rules.mode,
  domains: rules.domains,
  refusedDomains: rules.refusedDomains,
  proofBits: rules.proofBits,
  creditQuota: rules.creditQuota,
  creditsPerNetworkDay: rules.creditsPerNetworkDay,
  creditsPerNetwork: rules.creditsPerNetwork,
  creditsPerDeviceDay: rules.creditsPerDeviceDay,
  creditsPerDevice: rules.creditsPerDevice,
  creditsPerDay: rules.creditsPerDay,
  updatedAt: rules.updatedAt,
};

export async function readRules(db: Queryable): Promise<RegistrationRules> {
  return present(await db.drizzle.select(ruleColumns).from(rules));
}

/** The rules, locked until the transaction ends, which also serializes decisions about credit. */
export async function lockRules(tx: Queryable): Promise<RegistrationRules> {
  return present(await tx.drizzle.select(ruleColumns).from(rules).for("update"));
}

function present([row]: RegistrationRules[]): RegistrationRules {
  if (row === undefined) {
    throw new Error("the rules of registration are missing");
  }
  return row;
}

export async function updateRules(tx: Queryable, to: Omit<RegistrationRules, "updatedAt">): Promise<RegistrationRules> {
  const { domains, refusedDomains, ...rest } = to;
  const lists = { domains: [...domains], refusedDomains: [...refusedDomains] };
  return present(
    await tx.drizzle
      .update(rules)
      .set({ ...rest, ...lists, updatedAt: clock })
      .returning(ruleColumns),
  );
}

export type NewInvitation = {
  readonly name: string;
  readonly digest: Uint8Array;
  readonly usesMax: number;
  readonly expiresAt: Date | null;
  readonly groupName: string | null;
  readonly creditQuota: bigint | null;
  readonly createdBy: string;
  readonly idempotencyKey: string | null;
};

export type Invitation = Omit<NewInvitation, "digest" | "idempotencyKey"> & {
  readonly id: bigint;
  readonly uses: number;
  readonly sealedCode: Uint8Array | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
};

const invitationColumns = {
  id: invitation.id,
  name: invitation.name,
  sealedCode: invitation.sealedCode,
  uses: invitation.uses,
  usesMax: invitation.usesMax,
  expiresAt: invitation.expiresAt,
  groupName: invitation.groupName,
  creditQuota: invitation.creditQuota,
  createdBy: invitation.createdBy,
  revokedAt: invitation.revokedAt,
  createdAt: invitation.createdAt,
};

/** An invitation whose code is sealed for its id. */
/** Null if the idempotency key has made one already. */
export async function insertInvitation(
  tx: Queryable,
  made: NewInvitation,
  sealFor: (id: bigint) => Uint8Array,
): Promise<Invitation | null> {
  const [row] = await tx.drizzle
    .insert(invitation)
    .values(made)
    .onConflictDoNothing({ target: invitation.idempotencyKey })
    .returning({ id: invitation.id });
  if (row === undefined) {
    return null;
  }
  const [sealed] = await tx.drizzle
    .update(invitation)
    .set({ sealedCode: sealFor(row.id) })
    .where(eq(invitation.id, row.id))
    .returning(invitationColumns);
  if (sealed === undefined) {
    throw new Error("the invitation is missing");
  }
  return sealed;
}

export async function findInvitationByKey(db: Queryable, idempotencyKey: string): Promise<Invitation | null> {
  const [row] = await db.drizzle
    .select(invitationColumns)
    .from(invitation)
    .where(eq(invitation.idempotencyKey, idempotencyKey));
  return row ?? null;
}

export async function selectInvitations(db: Queryable, limit: number): Promise<Invitation[]> {
  return await db.drizzle.select(invitationColumns).from(invitation).orderBy(desc(invitation.id)).limit(limit);
}

/** The invitation, locked until the transaction ends. */
export async function lockInvitation(tx: Queryable, id: bigint): Promise<Invitation | null> {
  const [row] = await tx.drizzle.select(invitationColumns).from(invitation).where(eq(invitation.id, id)).for("update");
  return row ?? null;
}

/** Ends an invitation that nobody has ended yet. */
export async function revokeInvitation(tx: Queryable, id: bigint): Promise<Date | null> {
  const [row] = await tx.drizzle
    .update(invitation)
    .set({ revokedAt: now, updatedAt: now })
    .where(and(eq(invitation.id, id), isNull(invitation.revokedAt)))
    .returning({ revokedAt: invitation.revokedAt });
  return row?.revokedAt ?? null;
}

const isLive = and(isNull(invitation.revokedAt), lt(invitation.uses, invitation.usesMax));

/** The invitation with this code, if somebody can register with it now. */
export async function findUsableInvitation(
  db: Queryable,
  digest: Uint8Array,
): Promise<{ readonly id: bigint; readonly usesLeft: number } | null> {
  const isInTime = or(isNull(invitation.expiresAt), gt(invitation.expiresAt, now));
  const [row] = await db.drizzle
    .select({ id: invitation.id, usesLeft: sql<number>`${invitation.usesMax} - ${invitation.uses}` })
    .from(invitation)
    .where(and(eq(invitation.digest, digest), isLive, isInTime));
  return row ?? null;
}

/** Uses up one use, if there is one left. It had to be in time when the person registered, and not when the link is opened. */
export async function takeInvitation(
  tx: Queryable,
  id: bigint,
): Promise<Pick<Invitation, "groupName" | "creditQuota"> | null> {
  const [row] = await tx.drizzle
    .update(invitation)
    .set({ uses: sql`${invitation.uses} + 1`, updatedAt: now })
    .where(and(eq(invitation.id, id), isLive))
    .returning({ groupName: invitation.groupName, creditQuota: invitation.creditQuota });
  return row ?? null;
}

/** How somebody registered. */
export type Registered = {
  readonly invitationId: bigint | null;
  readonly network: string;
  readonly device: string | null;
  readonly addressKey: Uint8Array;
};

export async function insertRegistration(tx: Queryable, userId: UserId, made: Registered): Promise<void> {
  await tx.drizzle.insert(registration).values({ userId, ...made });
}

/** How many people have registered with an invitation in the last day, and have not verified their address yet. */
export async function countWaiting(db: Queryable, invitationId: bigint): Promise<number> {
  const [row] = await db.drizzle
    .select({ waiting: count() })
    .from(registration)
    .where(
      and(
        eq(registration.invitationId, invitationId),
        isNull(registration.decidedAt),
        gt(registration.registeredAt, ago(1, "days")),
      ),
    );
  return row?.waiting ?? 0;
}

/**
 * Gives a registration that waits for verification another invitation, if its own lets nobody in any more: the one
 * who registered the address first may not be its owner.
 */
export async function replaceInvitation(tx: Queryable, userId: UserId, invitationId: bigint): Promise<void> {
  const live = tx.drizzle
    .select({ id: invitation.id })
    .from(invitation)
    .where(and(eq(invitation.id, registration.invitationId), isLive));
  await tx.drizzle
    .update(registration)
    .set({ invitationId })
    .where(and(eq(registration.userId, userId), isNull(registration.decidedAt), notExists(live)));
}

/** The registration about which nothing was decided yet; locked until the transaction ends. */
export async function lockUndecided(
  tx: Queryable,
  userId: UserId,
): Promise<(Registered & { readonly gatewayUserId: GatewayUserId }) | null> {
  const [row] = await tx.drizzle
    .select({
      invitationId: registration.invitationId,
      network: registration.network,
      device: registration.device,
      addressKey: registration.addressKey,
      gatewayUserId: profile.gatewayUserId,
    })
    .from(registration)
    .innerJoin(profile, eq(profile.id, registration.userId))
    .where(and(eq(registration.userId, userId), isNull(registration.decidedAt)))
    .for("update", { of: registration });
  return row === undefined ? null : { ...row, gatewayUserId: row.gatewayUserId as GatewayUserId };
}

export async function decideRegistration(
  tx: Queryable,
  userId: UserId,
  credit: { readonly creditQuota: bigint; readonly creditRefusal: CreditRefusal | null },
): Promise<void> {
  await tx.drizzle
    .update(registration)
    .set({ ...credit, decidedAt: clock })
    .where(eq(registration.userId, userId));
}

/** How often credit was paid, today and in all. */
export type Paid = { readonly today: number; readonly ever: number };

const isToday = gte(
  registration.decidedAt,
  sql`date_trunc('day', clock_timestamp() at time zone 'utc') at time zone 'utc'`,
);

/** An address, and the texts under which its network and its device are stored: as they are, and of accounts that were closed. */
export type PaidOrigins = {
  readonly addressKey: Uint8Array;
  readonly networks: readonly string[];
  readonly devices: readonly string[];
};

/** What was paid to this address, network and device, and today to everybody. The caller holds the lock of the rules. */
export async function countPaid(
  tx: Queryable,
  { addressKey, networks, devices }: PaidOrigins,
): Promise<{ readonly address: number; readonly network: Paid; readonly device: Paid; readonly today: number }> {
  const none: Paid = { today: 0, ever: 0 };
  return {
    address: (await paidWhere(tx, eq(registration.addressKey, addressKey))).ever,
    network: await paidWhere(tx, inArray(registration.network, [...networks])),
    device: devices.length === 0 ? none : await paidWhere(tx, inArray(registration.device, [...devices])),
    today: (await paidWhere(tx, isToday)).today,
  };
}

async function paidWhere(tx: Queryable, where: SQL): Promise<Paid> {
  const [row] = await tx.drizzle
    .select({ ever: count(), today: sql<number>`count(*) filter (where ${isToday})::integer` })
    .from(registration)
    .where(and(where, gt(registration.creditQuota, sql`0`), isNotNull(registration.decidedAt)));
  return row ?? { today: 0, ever: 0 };
}

/** Puts marks in the place of the network and the device of an account that is closed. */
export async function maskOrigins(tx: Queryable, userId: UserId, markOf: (origin: string) => string): Promise<void> {
  const [found] = await tx.drizzle
    .select({ network: registration.network, device: registration.device })
    .from(registration)
    .where(eq(registration.userId, userId));
  if (found !== undefined) {
    const device = found.device === null ? null : markOf(found.device);
    await tx.drizzle
      .update(registration)
      .set({ network: markOf(found.network), device })
      .where(eq(registration.userId, userId));
  }
}
