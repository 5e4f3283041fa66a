import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import type { Queryable, Transaction } from "../platform/db.ts";

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
 * Called in the transaction in which a user has shown that the address is theirs, after that was written: what was bought
 * under it without a login is theirs now.
 */
export type OnVerified = (tx: Transaction, userId: UserId) => Promise<unknown>;

/** What a page shows beside its form. */
export type LoginPageState = {
  readonly email: string;
  /** Where to go after the login: a path of ours. */
  readonly next: string;
  /** What went wrong, or null. */
  readonly problem: string | null;
  /** What is good news, or null. */
  readonly notice: string | null;
  readonly asksForCode: boolean;
};

/** Without a token the page asks for the address to which a link is sent. */
export type ResetPageState = { readonly token: string; readonly problem: string | null };

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
  readonly reset: (state: ResetPageState, status: number) => Response;
};
