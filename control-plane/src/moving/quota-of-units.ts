import { quotaPerUsd } from "@sluice/contracts/money";
import { unitsPerUsdOf } from "./prices/price-models.ts";

/**
 * Units of the other program as quota here. They are the same unless its operator has changed how many are a US dollar;
 * then the amount is rounded towards less for the customer's debts as for balances.
 */
export function quotaOfUnits(units: bigint, options: ReadonlyMap<string, string>): bigint {
  const { over, under } = unitsPerUsdOf(options);
  const scaled = units * quotaPerUsd * under;
  const quotient = scaled / over;
  return scaled < 0n && quotient * over !== scaled ? quotient - 1n : quotient;
}
