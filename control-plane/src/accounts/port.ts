import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { FormPageState } from "../platform/form-problem.ts";

/** What accounts need of the upstream gateway: each profile has one user there. */
export type GatewayUsers = {
  /** A user of the default group, without quota. */
  readonly create: (tx: Queryable) => Promise<GatewayUserId>;
  /** What is absent stays. Replicas learn of it at once. */
  readonly change: (
    tx: Queryable,
    id: GatewayUserId,
    change: { readonly isEnabled?: boolean; readonly rateMultiplier?: Decimal },
  ) => Promise<void>;
};

/**
 * Called in the transaction in which a user has proved that the address is theirs, after that was recorded: what was
 * bought under it without a login is theirs from now on.
 */
export type OnVerified = (tx: Transaction, userId: UserId) => Promise<unknown>;

/** What the page of the login shows beside its form. */
export type LoginPageState = FormPageState & {
  readonly email: string;
  /** Where to go after the login: a path of ours. */
  readonly next: string;
  /** The name of the good news, or null. */
  readonly notice: string | null;
  readonly asksForCode: boolean;
  /** Who is logged in already, or null. */
  readonly signedInAs: string | null;
};

export type RegisterPageState = FormPageState & { readonly email: string; readonly displayName: string };

/** After a registration; the link only where the installation shows it. */
export type SentPageState = { readonly locale: Locale; readonly email: string; readonly link: string | null };

/** Without a token the page asks for the address to which a link is sent. */
export type LinkPageState = FormPageState & { readonly token: string; readonly email: string };

/** What the page of the admin login shows beside its form. */
export type AdminLoginPageState = {
  readonly login: string;
  readonly next: string;
  readonly problem: string | null;
  readonly asksForCode: boolean;
};

/** The pages that work without script, as HTML. */
export type AccountPages = {
  readonly adminLogin: (state: AdminLoginPageState, status: number) => Response;
  readonly login: (state: LoginPageState, status: number) => Response;
  readonly register: (state: RegisterPageState, status: number) => Response;
  readonly sent: (state: SentPageState) => Response;
  readonly verify: (state: LinkPageState, status: number) => Response;
  readonly reset: (state: LinkPageState, status: number) => Response;
};
