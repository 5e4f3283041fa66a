import type { ConsentPage } from "@sluice/contracts/brand";
import type { AcceptConsentsInput, AskedConsent } from "@sluice/contracts/consents";
import type { UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import { audit } from "../admin/audit/service.ts";
import type { CurrentLegal } from "../branding/model.ts";
import { renderLegal } from "../branding/render-legal.ts";
import type { Database, Queryable, Transaction } from "../platform/db.ts";
import type { ConsentCheck, UserCaller } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { escapeHtml } from "../platform/html.ts";
import { type ConsentOrigin, type ConsentText, type Edition, isSameEdition, textsToAccept, wayOf } from "./model.ts";
import {
  countAccepted,
  countWaiting,
  findBegunEdition,
  hasSignedIn,
  holdUser,
  insertConsent,
  selectAccepted,
  selectAcceptedTexts,
} from "./store.ts";

export type ConsentDeps = {
  readonly db: Database;
  /** The operator's legal pages as this process shows them, without those that are elsewhere. */
  readonly shown: () => readonly CurrentLegal[];
  /** Reads them again, for a change that this process has not heard of. */
  readonly reload: () => Promise<void>;
  readonly brandName: () => string;
};

type Person = Pick<UserCaller, "userId" | "email">;

/** Who has accepted which edition of the operator's legal pages, and who has yet to. */
export class Consents implements ConsentCheck {
  readonly #deps: ConsentDeps;

  constructor(deps: ConsentDeps) {
    this.#deps = deps;
  }

  /** What everyone has to accept now, in a language; nothing before the operator asks. */
  needed(locale: Locale): ConsentText[] {
    return textsToAccept(this.#deps.shown(), locale);
  }

  /** Whether a user has yet to accept something. Costs a query once the operator asks, and nothing before. */
  async isOwedBy(userId: UserId): Promise<boolean> {
    const needed = this.needed("en");
    return needed.length > 0 && (await missing(this.#deps.db, userId, needed)).length > 0;
  }

  /** What a user has yet to accept, with what the user accepted before. */
  async ask(userId: UserId, locale: Locale): Promise<AskedConsent[]> {
    const owed = await missing(this.#deps.db, userId, this.needed(locale));
    if (owed.length === 0) {
      return [];
    }
    const accepted = await selectAcceptedTexts(this.#deps.db, userId);
    return owed.map(({ page, edition, locale: language, version, effectiveOn, markdown, changes }) => {
      const before = accepted.find((each) => each.page === page);
      return {
        ...{ page, edition, version, changes, locale: language },
        effective_on: effectiveOn,
        html: this.#render(markdown),
        before:
          before === undefined
            ? null
            : {
                edition: before.edition,
                locale: before.locale,
                accepted_at: before.acceptedAt,
                html: this.#render(before.markdown),
              },
      };
    });
  }

  /**
   * Records that a user accepts the texts that were shown. A repetition changes nothing.
   * @throws AppError `version_conflict` when one of them is not what has to be accepted any more; `unauthenticated` when the account was
   * closed meanwhile
   */
  async accept(
    user: Person & { readonly sessionId: bigint },
    { accepts, next }: AcceptConsentsInput,
    { ip, requestId }: { readonly ip: string; readonly requestId: string },
  ): Promise<void> {
    const { db, reload } = this.#deps;
    const find = () => accepts.flatMap((each) => this.needed(each.locale).filter((text) => isShown(text, each)));
    if (find().length < accepts.length) {
      await reload();
    }
    const texts = find();
    if (texts.length < accepts.length) {
      throw new AppError("version_conflict");
    }
    await db.withTransaction(async (tx) => {
      const way = wayOf(next, await hasSignedIn(tx, user.sessionId));
      if (!(await this.record(tx, { ...user, requestId }, texts, { way, ip }))) {
        throw new AppError("unauthenticated");
      }
    });
  }

  /**
   * The texts that somebody accepts who registers.
   * @throws AppError `consent_required` unless it is everything that is needed now
   */
  acceptedBy(accepts: readonly Edition[], locale: Locale): ConsentText[] {
    const needed = this.needed(locale);
    if (!needed.every((text) => accepts.some((each) => isSameEdition(each, text)))) {
      throw new AppError("consent_required", { fields: { accepts: "Accept the current terms." } });
    }
    return needed;
  }

  /** Records acceptances in the transaction of their reason; false for a closed account. */
  async record(
    tx: Transaction,
    { userId, email, requestId }: Person & { readonly requestId: string },
    texts: readonly ConsentText[],
    origin: ConsentOrigin,
  ): Promise<boolean> {
    if (!(await holdUser(tx, userId))) {
      return false;
    }
    for (const text of texts) {
      if (await insertConsent(tx, userId, text, origin)) {
        const { page, edition, locale, version } = text;
        // Without the address, which is with the acceptance and is cleared there when the account is closed.
        await audit(tx, { actor: { kind: "user", id: userId, name: email }, requestId }, "legal_text.accept", {
          subjectKind: "user",
          subjectId: userId,
          after: { page, edition, locale, version, way: origin.way },
        });
      }
    }
    return true;
  }

  #render(markdown: string): string {
    return renderLegal(markdown).replaceAll("{brand}", () => escapeHtml(this.#deps.brandName()));
  }
}

function isShown(text: ConsentText, accepted: AcceptConsentsInput["accepts"][number]): boolean {
  return isSameEdition(text, accepted) && text.locale === accepted.locale && text.version === accepted.version;
}

async function missing<Text extends Edition>(db: Queryable, userId: UserId, needed: readonly Text[]): Promise<Text[]> {
  if (needed.length === 0) {
    return [];
  }
  const accepted = await selectAccepted(db, userId);
  return needed.filter((text) => !accepted.some((each) => each.page === text.page && each.edition >= text.edition));
}

/** How many users accepted the editions of a page, and how many have yet to accept the newest one. */
export async function countConsents(
  db: Queryable,
  { page, edition }: Edition,
): Promise<{
  readonly editions: readonly { readonly edition: number; readonly accepted: bigint }[];
  readonly waiting: bigint;
}> {
  return {
    editions: await countAccepted(db, page),
    waiting: edition === 0 ? 0n : await countWaiting(db, { page, edition }),
  };
}

/** How many users are asked because of the edition that a page's newest text begins; 0 if it begins none. */
export async function countAskedBy(db: Queryable, page: ConsentPage): Promise<bigint> {
  const edition = await findBegunEdition(db, page);
  return edition === null ? 0n : await countWaiting(db, { page, edition });
}
