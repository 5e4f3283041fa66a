import type { RegistrationMode } from "@sluice/contracts/registration-rules";
import type { RegistrationRules } from "./registration-store.ts";

const limits = [
  "creditsPerNetworkDay",
  "creditsPerNetwork",
  "creditsPerDeviceDay",
  "creditsPerDevice",
  "creditsPerDay",
] as const;

/** How many people a mode admits, beside the others. */
const widths: Readonly<Record<RegistrationMode, number>> = { closed: 0, invitation: 1, domains: 2, open: 3 };

/** Whether newcomers may get more credit than before, each or all together: free credit is money that nobody paid. */
export function givesMore(before: RegistrationRules, after: RegistrationRules): boolean {
  if (after.creditQuota === 0n) {
    return false;
  }
  const isLooser = limits.some((name) => mostOf(after[name]) > mostOf(before[name]));
  return after.creditQuota > before.creditQuota || isLooser || admitsMore(before, after);
}

const mostOf = (limit: number): number => (limit === 0 ? Infinity : limit);

/** Whether an account can be opened by people who could not open one before, or with less work. */
function admitsMore(before: RegistrationRules, after: RegistrationRules): boolean {
  const areDomains = before.mode === "domains" && after.mode === "domains";
  return (
    widths[after.mode] > widths[before.mode] ||
    (areDomains && !isWithin(after.domains, before.domains)) ||
    !isWithin(before.refusedDomains, after.refusedDomains) ||
    after.proofBits < before.proofBits
  );
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean => some.every((each) => all.includes(each));
