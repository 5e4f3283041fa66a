import type { ClosingSubject } from "@sluice/contracts/closing";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { UserStatus } from "../model.ts";

/** An account that is being closed, or was. */
export type Closing = {
  readonly userId: UserId;
  readonly requestedAt: Date;
  readonly closesAt: Date;
  readonly requestedBy: "owner" | "operator";
  /** The balance that the person who asked for it agreed to lose. */
  readonly agreedQuota: bigint;
  readonly doneAt: Date | null;
};

export type Account = {
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  readonly locale: string;
  readonly status: UserStatus;
};

export type Counts = Readonly<Record<ClosingSubject, number>>;

/** The address of a person who was forgotten. Nothing is ever sent to it. */
export const pseudonymOf = (userId: UserId): string => `closed-${userId}@closed.invalid`;

/** The name of an organisation that ended with its last member. */
export const closedNameOf = (organisationId: bigint): string => `closed-${organisationId}`;

/** A closing in responses. */
export function closingFields({ requestedAt, closesAt, requestedBy }: Closing) {
  return {
    requested_at: requestedAt.toISOString(),
    closes_at: closesAt.toISOString(),
    requested_by: requestedBy,
  };
}
