import { asc, count, eq, sql } from "drizzle-orm";
import { userIdentity as identity, signInProvider as provider } from "../../db/schema/sign-in.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Provider } from "./model.ts";

/** A provider as it is stored. */
export type StoredProvider = Omit<Provider, "clientSecret"> & {
  readonly secretSealed: Uint8Array;
  readonly isEnabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const fields = {
  slug: provider.slug,
  kind: provider.kind,
  label: provider.label,
  issuer: provider.issuer,
  clientId: provider.clientId,
  secretSealed: provider.secretSealed,
  isEnabled: provider.isEnabled,
  mayRegister: provider.mayRegister,
  createdAt: provider.createdAt,
  updatedAt: provider.updatedAt,
};

const users = sql<number>`(select ${count()}::int from ${identity} where ${identity.issuer} = ${provider.issuer})`;

/** All providers in the order of their making, each with the number of users of its issuer. */
export async function selectProviders(db: Queryable): Promise<(StoredProvider & { readonly users: number })[]> {
  return await db.drizzle
    .select({ ...fields, users })
    .from(provider)
    .orderBy(asc(provider.id));
}

export async function selectEnabledProviders(db: Queryable): Promise<StoredProvider[]> {
  return await db.drizzle.select(fields).from(provider).where(eq(provider.isEnabled, true)).orderBy(asc(provider.id));
}

/** The provider, locked until the transaction ends. */
export async function lockProvider(db: Queryable, slug: string): Promise<StoredProvider | null> {
  const [row] = await db.drizzle.select(fields).from(provider).where(eq(provider.slug, slug)).for("update");
  return row ?? null;
}

export async function countProviders(db: Queryable): Promise<number> {
  const [row] = await db.drizzle.select({ providers: count() }).from(provider);
  return row?.providers ?? 0;
}

type Written = Omit<StoredProvider, "createdAt" | "updatedAt">;

/** False if there is one of this name. */
export async function insertProvider(db: Queryable, made: Written): Promise<boolean> {
  const rows = await db.drizzle
    .insert(provider)
    .values({ ...made })
    .onConflictDoNothing()
    .returning({ slug: provider.slug });
  return rows.length > 0;
}

export async function updateProvider(db: Queryable, { slug, ...to }: Written): Promise<void> {
  await db.drizzle
    .update(provider)
    .set({ ...to, updatedAt: sql`clock_timestamp()` })
    .where(eq(provider.slug, slug));
}

export async function deleteProvider(db: Queryable, slug: string): Promise<void> {
  await db.drizzle.delete(provider).where(eq(provider.slug, slug));
}
