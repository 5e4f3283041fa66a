import type { Locale } from "./locales.ts";

/** How large an uploaded image may be. */
export const imageBytesMax = 256 * 1024;
/** How many links of its own a footer may have. */
export const footerLinksMax = 8;

/** The name that a service has until its operator gives it another. */
export const defaultBrandName = "Sluice";

/** What the pages of a service show of its operator. */
export type Brand = BrandFiles & {
  readonly name: string;
  /** The e-mail address for support; empty if there is none. */
  readonly support_address: string;
  /** Whether pages say which program this is. */
  readonly says_powered_by: boolean;
  /** The operator's legal pages, as far as there are any. */
  readonly legal: readonly LegalLink[];
  /** The operator's texts, by language; none where the shipped ones are shown. */
  readonly texts: BrandTexts;
};

/** What the operator's images and colour are at, each by a URL of this site that changes with its content. */
export type BrandFiles = {
  /** Colours and logo, after the other styles; null if neither is set. */
  readonly stylesheet: string | null;
  readonly icon: Pick<BrandImage, "url" | "type"> | null;
  /** What is shown beside a link to the service; null for the shipped images. */
  readonly social_image: BrandImage | null;
};

export type BrandImage = {
  readonly url: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
};

export const brandImageKinds = ["logo_light", "logo_dark", "icon", "social"] as const;
/** The logo on light and on dark pages, the icon of tabs and bookmarks, and the image of links. */
export type BrandImageKind = (typeof brandImageKinds)[number];

export type BrandLink = { readonly label: string; readonly url: string };

/** What the operator writes in one language; an empty text leaves the shipped one. */
export type BrandText = {
  readonly headline: string;
  readonly sub_line: string;
  /** Further links at the end of every public page. */
  readonly links: readonly BrandLink[];
};

export type BrandTexts = Readonly<Partial<Record<Locale, BrandText>>>;

/** The operator's links in a language: those of English where it has none. */
export function brandLinks(texts: BrandTexts, locale: Locale): readonly BrandLink[] {
  const own = texts[locale]?.links ?? [];
  return own.length > 0 ? own : (texts.en?.links ?? []);
}

export const legalPages = ["terms", "privacy", "imprint"] as const;
export type LegalPage = (typeof legalPages)[number];

/** Where this site shows a legal page that the operator writes here. */
export const legalPath = (page: LegalPage): string => `/legal/${page}/`;

/** The legal pages that an operator can ask users to accept. Who runs the service is nothing to agree to. */
export const consentPages = ["terms", "privacy"] as const satisfies readonly LegalPage[];
export type ConsentPage = (typeof consentPages)[number];

/** A legal page of the operator: an https URL, or a path of this site. */
export type LegalLink = {
  readonly page: LegalPage;
  readonly url: string;
  /** Whether it is a page of this site that exists in every language. */
  readonly is_translated: boolean;
};

/** What the operator announces on every page now, in the operator's own words. */
export type Announcement = {
  readonly text: string;
  /** An https URL, or a path of this site; empty if there is no link. */
  readonly url: string;
};
