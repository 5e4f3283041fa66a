import type { ConsentPage } from "@sluice/contracts/brand";
import type { UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import { and, count, desc, eq, notExists, sql } from "drizzle-orm";
import { userProfile as profile, session } from "../db/schema/accounts.ts";
import { legalConsent as consent, legalText } from "../db/schema/branding.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { AcceptedEdition, ConsentOrigin, ConsentText, Edition } from "./model.ts";

/** The newest edition of each page that a user has accepted. */
export async function selectAccepted(db: Queryable, userId: UserId): Promise<Edition[]> {
  return await db.drizzle
    .select({ page: consent.page, edition: sql<number>`max(${consent.edition})` })
    .from(consent)
    .where(eq(consent.userId, userId))
    .groupBy(consent.page);
}

/** The same with the texts. */
export async function selectAcceptedTexts(db: Queryable, userId: UserId): Promise<AcceptedEdition[]> {
  return await db.drizzle
    .selectDistinctOn([consent.page], {
      page: consent.page,
      edition: consent.edition,
      locale: sql<Locale>`${consent.locale}`,
      acceptedAt: consent.acceptedAt,
      markdown: legalText.markdown,
    })
    .from(consent)
    .innerJoin(
      legalText,
      and(
        eq(legalText.page, consent.page),
        eq(legalText.locale, consent.locale),
        eq(legalText.version, consent.version),
      ),
    )
    .where(eq(consent.userId, userId))
    .orderBy(consent.page, desc(consent.edition));
}

/** Holds a user until the end of the transaction; false for an account that is closed. */
export async function holdUser(tx: Transaction, userId: UserId): Promise<boolean> {
  const [row] = await tx.drizzle
    .select({ status: profile.status })
    .from(profile)
    .where(eq(profile.id, userId))
    .for("share");
  return row !== undefined && row.status !== "closed";
}

/** Records an acceptance; false when it is recorded already. */
export async function insertConsent(
  tx: Transaction,
  userId: UserId,
  { page, edition, locale, version }: Pick<ConsentText, "page" | "edition" | "locale" | "version">,
  { way, ip }: ConsentOrigin,
): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(consent)
    .values({ userId, page, edition, locale, version, way, ip })
    .onConflictDoNothing()
    .returning({ id: consent.id });
  return rows.length > 0;
}

/** Whether a session began with another service. */
export async function hasSignedIn(db: Queryable, sessionId: bigint): Promise<boolean> {
  const [row] = await db.drizzle.select({ method: session.loginMethod }).from(session).where(eq(session.id, sessionId));
  return row?.method === "sign_in";
}

const editionsShownMax = 100;

/** By how many users each edition of a page was accepted, the newest first. */
export async function countAccepted(
  db: Queryable,
  page: ConsentPage,
): Promise<{ readonly edition: number; readonly accepted: bigint }[]> {
  return await db.drizzle
    .select({ edition: consent.edition, accepted: sql<bigint>`${count()}` })
    .from(consent)
    .where(eq(consent.page, page))
    .groupBy(consent.edition)
    .orderBy(desc(consent.edition))
    .limit(editionsShownMax);
}

/** How many active users have not accepted an edition. */
export async function countWaiting(db: Queryable, { page, edition }: Edition): Promise<bigint> {
  const accepted = db.drizzle
    .select({ id: consent.id })
    .from(consent)
    .where(and(eq(consent.userId, profile.id), eq(consent.page, page), eq(consent.edition, edition)));
  const waiting = await db.drizzle.$count(profile, and(eq(profile.status, "active"), notExists(accepted)));
  return BigInt(waiting);
}

/** The edition that the newest version of a page's text begins; null when it belongs to an earlier one. */
export async function findBegunEdition(db: Queryable, page: ConsentPage): Promise<number | null> {
  const [newest] = await db.drizzle
    .select({
      edition: legalText.edition,
      texts: sql<number>`count(*) over (partition by ${legalText.edition})::int`,
    })
    .from(legalText)
    .where(eq(legalText.page, page))
    .orderBy(desc(legalText.edition))
    .limit(1);
  return newest !== undefined && newest.edition > 0 && newest.texts === 1 ? newest.edition : null;
}
