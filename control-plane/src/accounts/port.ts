import type { ConsentPage } from "@sluice/contracts/brand";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { AdminLocale, Locale } from "@sluice/contracts/locales";
import type { Decimal } from "@sluice/contracts/money";
import type { RegistrationMode } from "@sluice/contracts/registration-rules";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { FormPageState, FormProblem } from "../platform/form-problem.ts";

/** What accounts need from the upstream gateway: each profile has one user there. */
export type GatewayUsers = {
  /** Creates a user in the group where accounts with this address start, without quota. */
  readonly create: (tx: Queryable, email: string) => Promise<GatewayUserId>;
  /** Changes the given fields; absent fields stay unchanged. Replicas are notified immediately. */
  readonly change: (
    tx: Queryable,
    id: GatewayUserId,
    change: { readonly isEnabled?: boolean; readonly rateMultiplier?: Decimal },
  ) => Promise<void>;
  /** Puts an account that has just been made into the group in which it starts instead of the usual one. */
  readonly startIn: (tx: Queryable, id: GatewayUserId, groupName: string) => Promise<void>;
  /** What is left of the balance, in quota, with what is lent to replicas; below 0 for an account that owes. */
  readonly remaining: (tx: Queryable, id: GatewayUserId) => Promise<bigint>;
  /** Asks replicas to give back what they hold of the balance. Returns whether any does. */
  readonly recall: (tx: Queryable, id: GatewayUserId) => Promise<boolean>;
  /** Takes what is left of the balance of an account that is closed, once. Returns how much. */
  readonly forfeit: (tx: Queryable, id: GatewayUserId) => Promise<bigint>;
  /** Grants quota, once for each reference. */
  readonly credit: (
    tx: Queryable,
    id: GatewayUserId,
    grant: { readonly amount: bigint; readonly changeType: "registration_credit"; readonly reference: string },
  ) => Promise<void>;
};

/** What a registration needs, as pages and programs are told. */
export type RegistrationNeeds = {
  readonly mode: RegistrationMode;
  /** Whose addresses may register without an invitation, in the mode `domains`. */
  readonly domains: readonly string[];
  readonly proof: { readonly challenge: string; readonly bits: number; readonly expiresAt: Date } | null;
  /** The legal pages that have to be accepted. */
  readonly accepts: readonly NeededConsent[];
};

export type NeededConsent = { readonly page: ConsentPage; readonly edition: number };

/**
 * Gives users what was bought under their address without a login. Called in the transaction in which a user has proved
 * to own the address, after that was recorded.
 */
export type OnVerified = (tx: Transaction, userId: UserId) => Promise<unknown>;

/**
 * Remembers by whose link a user came; called in the transaction in which the account is made. The code may be anything
 * that the browser sent.
 */
export type OnReferred = (tx: Transaction, invitedId: UserId, code: string) => Promise<void>;

/** A service where people can sign in instead, for the path of its button. */
export type OfferedSignIn = { readonly slug: string; readonly label: string };

/** The state of the login page beside its form. */
export type LoginPageState = FormPageState & {
  readonly email: string;
  /** The local path to open after the login. */
  readonly next: string;
  /** The key of the success message, or null. */
  readonly notice: string | null;
  readonly asksForCode: boolean;
  /** The user who is already logged in, or null. */
  readonly signedInAs: string | null;
  /** Whether passkeys work at the address of this service. */
  readonly hasPasskeys: boolean;
  readonly signIns: readonly OfferedSignIn[];
};

/** The question for the code of an authenticator, after a sign-in elsewhere. */
export type CodePageState = FormPageState & { readonly next: string };

export type RegisterPageState = FormPageState & {
  readonly email: string;
  readonly displayName: string;
  /** The code of an invitation, as brought or typed. */
  readonly invitation: string;
  readonly needs: RegistrationNeeds;
  readonly signIns: readonly OfferedSignIn[];
};

/** Shown after a registration; the link is set only on installations that return it. */
export type SentPageState = { readonly locale: Locale; readonly email: string; readonly link: string | null };

/** Without a token, the page asks for the address to send a link to. */
export type LinkPageState = FormPageState & { readonly token: string; readonly email: string };

/** What a link in a mail about an address does: verify it, give it to an account, or give it back. */
export type LinkPurpose = "email_verify" | "email_change" | "email_undo";
export type VerifyPageState = LinkPageState & { readonly purpose: LinkPurpose };

/** With a good link, the page offers to remove what is linked to the account. */
export type ResetPageState = LinkPageState & {
  /** The names of the linked services and of the passkeys. */
  readonly signIns: readonly string[];
  readonly passkeys: readonly string[];
};

/** The state of the admin login page beside its form. */
export type AdminLoginPageState = {
  readonly locale: AdminLocale;
  readonly login: string;
  readonly next: string;
  readonly problem: FormProblem | null;
  readonly asksForCode: boolean;
};

/** The pages that work without JavaScript, as HTML. */
export type AccountPages = {
  readonly adminLogin: (state: AdminLoginPageState, status: number) => Response;
  readonly login: (state: LoginPageState, status: number) => Response;
  readonly code: (state: CodePageState, status: number) => Response;
  readonly register: (state: RegisterPageState, status: number) => Response;
  readonly sent: (state: SentPageState) => Response;
  readonly verify: (state: VerifyPageState, status: number) => Response;
  readonly reset: (state: ResetPageState, status: number) => Response;
};
