import { type ConsentPage, consentPages } from "@sluice/contracts/brand";
import type { ConsentWay } from "@sluice/contracts/consent-ways";
import { allLocales, type Locale } from "@sluice/contracts/locales";
import type { CurrentLegal } from "../branding/model.ts";

/** A text that somebody is asked to accept. */
export type ConsentText = CurrentLegal & { readonly page: ConsentPage };

export type Edition = { readonly page: ConsentPage; readonly edition: number };

/** What somebody has accepted of a page. */
export type AcceptedEdition = Edition & {
  readonly locale: Locale;
  readonly acceptedAt: Date;
  readonly markdown: string;
};

/** How and from where somebody accepted. */
export type ConsentOrigin = { readonly way: ConsentWay; readonly ip: string };

/** The links of invitations to organisations. */
const invitationPath = "/console/invitation/";

/** What has to be accepted of the texts that are shown, in a language; where it is missing, in the one that visitors read. */
export function textsToAccept(shown: readonly CurrentLegal[], locale: Locale): ConsentText[] {
  return consentPages.flatMap((page) => {
    const texts = shown.filter((each) => each.page === page && each.edition > 0);
    const [text] = [locale, ...allLocales].flatMap((language) => texts.filter((each) => each.locale === language));
    return text === undefined ? [] : [{ ...text, page }];
  });
}

/** Whether two texts are the same edition of the same page. */
export const isSameEdition = (one: Edition, other: Edition): boolean =>
  one.page === other.page && one.edition === other.edition;

/** How somebody came who accepts in the console. */
export function wayOf(next: string, hasSignedIn: boolean): ConsentWay {
  if (next.startsWith(invitationPath)) {
    return "invitation";
  }
  return hasSignedIn ? "sign_in" : "login";
}
