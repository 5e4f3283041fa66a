/** Quota of one running subscription, which ends with it. */
export type MonthPot = {
  readonly plan: string;
  readonly start: number;
  months: number;
  /** Below zero when more was refunded than was left. */
  left: bigint;
};

export const endOf = ({ start, months }: MonthPot): number => monthsAfter(start, months);

/** The same day so many months later, or the last day of a month that is too short for it. */
function monthsAfter(time: number, months: number): number {
  const from = new Date(time);
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth() + months, from.getUTCDate()];
  const daysOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return (
    Date.UTC(year, month, Math.min(day, daysOfMonth)) +
    (time - Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), day))
  );
}

const atLeastZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
const lesser = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const byEnd = (one: MonthPot, other: MonthPot): number => endOf(one) - endOf(other);

/**
 * The ledger's money in plain arithmetic: permanent credit in one pot, each month in its own pot that empties at its
 * end. A call takes from the pot that ends first.
 */
export class Pots {
  credit = 0n;
  months: MonthPot[] = [];

  get total(): bigint {
    return this.months.reduce((sum, { left }) => sum + left, this.credit);
  }

  use(amount: bigint): void {
    let open = amount;
    for (const pot of [...this.months].sort(byEnd)) {
      const taken = lesser(open, atLeastZero(pot.left));
      pot.left -= taken;
      open -= taken;
    }
    this.credit -= open;
  }

  pay(plan: string, quota: bigint, at: number): void {
    if (plan === "credit") {
      this.credit += quota;
      return;
    }
    this.endUntil(at, plan);
    const running = this.months.find((pot) => pot.plan === plan);
    if (running === undefined) {
      this.months.push({ plan, start: at, months: 1, left: quota });
    } else {
      running.months += 1;
      running.left += quota;
    }
  }

  /** The month that a paid order is part of, while it runs. */
  monthOf(plan: string, creditedAt: number): MonthPot | undefined {
    return this.months.find((pot) => pot.plan === plan && creditedAt >= pot.start);
  }

  /** Nothing is taken beyond what exists: negative credit is paid from what is left of a month. */
  endUntil(at: number, plan?: string): void {
    for (const pot of this.months.filter((each) => endOf(each) <= at).sort(byEnd)) {
      if (plan === undefined || pot.plan === plan) {
        const taken = lesser(atLeastZero(this.total), atLeastZero(pot.left));
        this.credit += pot.left - taken;
        this.months = this.months.filter((each) => each !== pot);
      }
    }
  }
}
