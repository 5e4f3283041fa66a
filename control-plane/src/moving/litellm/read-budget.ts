import type { ResetPeriod } from "@sluice/contracts/key-fields";
import type { PeerLimits } from "../model.ts";
import type { Note, Row } from "../source/model.ts";
import { textOf } from "../source/read-values.ts";
import { countOf } from "./model.ts";
import { periodOf } from "./periods.ts";
import { leftOf, quotaOf } from "./usd.ts";

/** The budgets that rows share; each spends its own. */
export type SharedBudgets = ReadonlyMap<string, Row>;

const [requestsMax, tokensMax, callsMax] = [1_000_000, 2_000_000_000, 10_000];

export type RateLimits = Pick<PeerLimits, "requestsPerMinute" | "tokensPerMinute" | "concurrencyMax">;

/** A row over the budget that it names, which holds where the row says nothing. */
export function withBudget(row: Row, budgets: SharedBudgets): Row {
  const shared = budgets.get(textOf(row["budget_id"])) ?? {};
  const fields = ["max_budget", "budget_duration", "tpm_limit", "rpm_limit", "tpd_limit", "max_parallel_requests"];
  return { ...row, ...Object.fromEntries(fields.map((name) => [name, row[name] ?? shared[name] ?? null])) };
}

/** Requests and tokens per minute, and calls at a time; null without any. A limit of nothing becomes one of one. */
export function rateLimitsOf(row: Row): RateLimits | null {
  const limits = {
    requestsPerMinute: countOf(row["rpm_limit"], requestsMax),
    tokensPerMinute: countOf(row["tpm_limit"], tokensMax),
    concurrencyMax: countOf(row["max_parallel_requests"], callsMax),
  };
  return Object.values(limits).every((each) => each === null) ? null : limits;
}

export type KeyBudget = { readonly remaining: bigint | null; readonly period: ResetPeriod };

/** The limit of a key: what is left of it, or its size if it starts over. */
export function keyBudgetOf(row: Row, note: Note): KeyBudget {
  const duration = textOf(row["budget_duration"]);
  const size = quotaOf(row["max_budget"]);
  const period = periodOf(duration);
  if (size === null) {
    return { remaining: null, period: "none" };
  }
  if (period === null) {
    note(
      "decide",
      `Its budget starts over after ${duration}, which no limit does here. What is left of it is its limit.`,
    );
  }
  return period === null || period === "none"
    ? { remaining: leftOf(row["max_budget"], row["spend"]), period: "none" }
    : { remaining: size < 0n ? 0n : size, period };
}

export type AccountBudget = { readonly quota: bigint; readonly limits: PeerLimits | null };

/**
 * The balance and the limits of an account. There are no balances there: what is left of its budget is granted, or what the
 * operator says if it has none. A budget that starts over each day or month also limits what is spent in that time.
 */
export function accountBudgetOf(row: Row, note: Note, grantWithoutBudget: bigint): AccountBudget {
  const duration = textOf(row["budget_duration"]);
  const period = periodOf(duration);
  const size = quotaOf(row["max_budget"]);
  const rates = rateLimitsOf(row);
  const spendOf = (name: ResetPeriod): bigint | null => (size !== null && size > 0n && period === name ? size : null);
  const limits = {
    ...(rates ?? { requestsPerMinute: null, tokensPerMinute: null, concurrencyMax: null }),
    spendPerDay: spendOf("daily"),
    spendPerMonth: spendOf("monthly"),
  };
  noteBudget(note, { size, duration, grantWithoutBudget });
  return {
    quota: leftOf(row["max_budget"], row["spend"]) ?? grantWithoutBudget,
    limits: Object.values(limits).every((each) => each === null) ? null : limits,
  };
}

type Noted = { readonly size: bigint | null; readonly duration: string; readonly grantWithoutBudget: bigint };

function noteBudget(note: Note, { size, duration, grantWithoutBudget }: Noted): void {
  if (size === null && grantWithoutBudget === 0n) {
    note("decide", "It has no budget there, and nothing to spend here. Grant it something, or pass --grant.");
  }
  if (size !== null && duration !== "") {
    note(
      "decide",
      `Its budget starts over every ${duration} there. Here it gets what is left of it once; let it pay, or grant more.`,
    );
  }
}
