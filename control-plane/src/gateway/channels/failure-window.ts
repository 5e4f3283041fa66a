import type { GatewayUserId } from "@sluice/contracts/ids";

const partMs = 2_000;
const parts = 5;
const callsMin = 20;
const failureShareMax = 0.5;
/** With failures of more customers than this in two seconds, further customers are not told apart. */
const customersMax = 64;

/** The verdict on the calls of the last ten seconds. */
export type WindowVerdict =
  | { readonly kind: "good" }
  /** The calls of one customer failed, and those of the others did not. */
  | { readonly kind: "bad_for_one"; readonly customer: GatewayUserId }
  | { readonly kind: "bad" };

const good = { kind: "good" } as const;
const bad = { kind: "bad" } as const;

/**
 * The calls of the last ten seconds: enough to tell a channel that is down from one that stumbled, and from one where
 * only a single customer's calls fail.
 */
export class FailureWindow {
  readonly #calls = new Uint32Array(parts);
  readonly #failures = new Uint32Array(parts);
  /** Failures that the request may have caused, by customer. */
  readonly #byCustomer = Array.from({ length: parts }, () => new Map<GatewayUserId, number>());
  #latestPart = 0;

  /** @param customer whose request may have caused the failure; null when no request can have */
  add(isFailure: boolean, customer: GatewayUserId | null, tick: number): void {
    this.#forget(tick);
    const slot = this.#latestPart % parts;
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    if (!isFailure) {
      return;
    }
    this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
    const byCustomer = this.#byCustomer[slot];
    if (customer !== null && byCustomer !== undefined) {
      const before = byCustomer.get(customer);
      if (before !== undefined || byCustomer.size < customersMax) {
        byCustomer.set(customer, (before ?? 0) + 1);
      }
    }
  }

  /**
   * Bad when at least half of at least 20 calls failed, and half of those not from the customer with the most failures.
   */
  judge(): WindowVerdict {
    const calls = sum(this.#calls);
    const failures = sum(this.#failures);
    if (calls < callsMin || failures / calls < failureShareMax) {
      return good;
    }
    const [customer, own] = this.#mostFailures();
    if (customer === null) {
      return bad;
    }
    const others = failures - own;
    const isBadForOthers = others > 0 && others / (calls - own) >= failureShareMax;
    return isBadForOthers ? bad : { kind: "bad_for_one", customer };
  }

  clear(): void {
    this.#calls.fill(0);
    this.#failures.fill(0);
    for (const byCustomer of this.#byCustomer) {
      byCustomer.clear();
    }
  }

  #mostFailures(): [customer: GatewayUserId | null, failures: number] {
    const sums = new Map<GatewayUserId, number>();
    let most: [GatewayUserId | null, number] = [null, 0];
    for (const byCustomer of this.#byCustomer) {
      for (const [customer, failures] of byCustomer) {
        const total = (sums.get(customer) ?? 0) + failures;
        sums.set(customer, total);
        most = total > most[1] ? [customer, total] : most;
      }
    }
    return most;
  }

  /** Clears the slots that are older than the window. */
  #forget(tick: number): void {
    const part = Math.floor(tick / partMs);
    const passed = Math.min(parts, part - this.#latestPart);
    for (let step = 1; step <= passed; step += 1) {
      const slot = (part - passed + step) % parts;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
      this.#byCustomer[slot]?.clear();
    }
    this.#latestPart = part;
  }
}

function sum(values: Uint32Array): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return total;
}
