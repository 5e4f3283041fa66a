import type { ProviderAccountState } from "@sluice/exit-protocol/health";
import type { ProviderAccount } from "./accounts.ts";

type Observed = "active" | "refused";

/** What the last calls revealed about each account. */
export class AccountStates {
  readonly #observed = new Map<string, Observed>();

  note(accountCode: string, state: Observed): void {
    this.#observed.set(accountCode, state);
  }

  /** Clears the states, because the accounts may have different keys now. */
  clear(): void {
    this.#observed.clear();
  }

  /** The accounts in the health response: codes and states, nothing secret. */
  describe(accounts: readonly ProviderAccount[]): ProviderAccountState[] {
    return accounts.map(({ kind, accountCode, provider, authType }) => ({
      accountCode,
      provider,
      authType,
      status: kind === "standby" ? "standby" : (this.#observed.get(accountCode) ?? "active"),
    }));
  }
}
