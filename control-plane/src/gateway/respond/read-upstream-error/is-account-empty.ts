import type { ErrorWords } from "@sluice/messages-conversion/errors/read-error-words";

/** Statuses with which providers refuse a call because our account is empty, besides 402. */
const statuses: ReadonlySet<number | null> = new Set([400, 403, 412, 429]);

/** Their names for it, as code or type, without case and separators. */
const names: ReadonlySet<string> = new Set([
  ...["insufficientquota", "enforcedspendlimitreached", "billinghardlimitreached", "exceededcurrentquotaerror"],
  ...["insufficientbalance", "insufficientcredits", "arrearage"],
]);

/** How a message begins that comes without one of these names. Further on, a message may quote the customer. */
const beginnings = [
  "your credit balance is too low",
  "you have reached your specified (?:workspace )?api usage limits",
  "insufficient (?:account )?balance",
  "account \\S{1,100} is suspended, possibly due to reaching the monthly spending limit",
  "your (?:newly created )?team .{0,100}(?:used all available credits|doesn't have any credits)",
];
const beginning = new RegExp(`^(?:${beginnings.join("|")})\\b`, "i");

/** Whether our account at the provider is empty, or has reached a limit of money that its owner has set. */
export function isAccountEmpty(status: number | null, { code, type, message }: ErrorWords): boolean {
  const isNamed = [code, type].some((name) => names.has((name ?? "").replaceAll(/[_\W]/g, "").toLowerCase()));
  return statuses.has(status) && (isNamed || beginning.test(message ?? ""));
}
