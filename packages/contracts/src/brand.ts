/** The name that a service has until its operator gives it another. */
export const defaultBrandName = "Sluice";

/** What the pages of a service show of its operator. */
export type Brand = {
  readonly name: string;
  /** The e-mail address for support; empty if there is none. */
  readonly support_address: string;
  /** Whether pages say which program this is. */
  readonly says_powered_by: boolean;
  /** The operator's legal pages, as far as there are any. */
  readonly legal: readonly LegalLink[];
};

export const legalPages = ["terms", "privacy", "imprint"] as const;
export type LegalPage = (typeof legalPages)[number];

/** A legal page of the operator: an https URL, or a path of this site. */
export type LegalLink = { readonly page: LegalPage; readonly url: string };

/** What the operator announces on every page now, in the operator's own words. */
export type Announcement = {
  readonly text: string;
  /** An https URL, or a path of this site; empty if there is no link. */
  readonly url: string;
};
