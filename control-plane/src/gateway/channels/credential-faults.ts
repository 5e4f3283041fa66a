import type { AttemptFailure } from "../model.ts";
import type { CredentialRefusal } from "./model.ts";

/** Statuses that are about the account behind a credential, so that another credential may fare better. */
const accountStatuses: ReadonlySet<number> = new Set([401, 402, 403, 429]);

type Fault = Pick<AttemptFailure, "status" | "result" | "blame" | "isRequestFault">;

/** Whether a failure is about the credential that was used, and not about the channel. */
export function concernsCredential({ status, result, isRequestFault }: Fault): boolean {
  return !isRequestFault && (accountStatuses.has(status ?? 0) || isRefusal(result));
}

/** Why the credential is refused to everyone; null if that is not certain. */
export function refusalOf({ result, blame }: Fault): CredentialRefusal | null {
  return blame === "certain" && isRefusal(result) ? result : null;
}

function isRefusal(result: string): result is CredentialRefusal {
  return result === "credential_refused" || result === "account_empty";
}
