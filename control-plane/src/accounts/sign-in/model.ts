import type { SignInKind } from "@sluice/contracts/sign-in";

/** A provider with everything that a sign-in needs. */
export type Provider = {
  readonly slug: string;
  readonly kind: SignInKind;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly mayRegister: boolean;
};

/** An account at an issuer. Only these two fields identify it. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** Who has signed in at the issuer, as far as the issuer's signed answer says so. */
export type Person = Identity & {
  /** Null if the issuer names none, or one that we would not accept. */
  readonly email: string | null;
  /** Whether the issuer vouches that the person owns the address now. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
};

/** Where a provider sends the browser back to. */
export const callbackPath = (slug: string): string => `/login/with/${slug}/callback/`;

/** Where the page goes with the outcome of a link. */
export const accountPath = "/console/account/";
