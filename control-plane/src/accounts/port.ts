import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { FormPageState } from "../platform/form-problem.ts";

/** What accounts need from the upstream gateway: each profile has one user there. */
export type GatewayUsers = {
  /** Creates a user in the group where accounts with this address start, without quota. */
  readonly create: (tx: Queryable, email: string) => Promise<GatewayUserId>;
  /** Changes the given fields; absent fields stay unchanged. Replicas are notified at once. */
  readonly change: (
    tx: Queryable,
    id: GatewayUserId,
    change: { readonly isEnabled?: boolean; readonly rateMultiplier?: Decimal },
  ) => Promise<void>;
};

/**
 * Gives users what was bought under their address without a login. Called in the transaction in which a user has proved
 * to own the address, after that was recorded.
 */
export type OnVerified = (tx: Transaction, userId: UserId) => Promise<unknown>;

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
};

export type RegisterPageState = FormPageState & { readonly email: string; readonly displayName: string };

/** Shown after a registration; the link is set only on installations that return it. */
export type SentPageState = { readonly locale: Locale; readonly email: string; readonly link: string | null };

/** Without a token, the page asks for the address to send a link to. */
export type LinkPageState = FormPageState & { readonly token: string; readonly email: string };

/** The state of the admin login page beside its form. */
export type AdminLoginPageState = {
  readonly login: string;
  readonly next: string;
  readonly problem: string | null;
  readonly asksForCode: boolean;
};

/** The pages that work without JavaScript, as HTML. */
export type AccountPages = {
  readonly adminLogin: (state: AdminLoginPageState, status: number) => Response;
  readonly login: (state: LoginPageState, status: number) => Response;
  readonly register: (state: RegisterPageState, status: number) => Response;
  readonly sent: (state: SentPageState) => Response;
  readonly verify: (state: LinkPageState, status: number) => Response;
  readonly reset: (state: LinkPageState, status: number) => Response;
};
