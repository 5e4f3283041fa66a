import type { GatewayUserId } from "@sluice/contracts/ids";
import type { AuditOrigin } from "../../admin/audit/model.ts";
import type { KeyPlaceFilter } from "./settings-store.ts";

/** The owner of the keys, and who asks from where: the owner, or an operator with a reason. */
export type KeyOwner = KeyPlace & AuditOrigin & { readonly reason?: string };

/** Whose keys they are: all of an account; within an organisation, those of one member if that is all the caller may see. */
export type KeyPlace = {
  readonly gatewayUserId: GatewayUserId;
  /** The member of an organisation who makes keys; absent for the account of a person. */
  readonly memberId?: bigint;
  readonly isOwnOnly?: boolean;
};

/** Which keys the caller may see and change. */
export const placeOf = ({ gatewayUserId, memberId, isOwnOnly }: KeyPlace): KeyPlaceFilter => ({
  gatewayUserId,
  madeById: isOwnOnly === true ? (memberId ?? 0n) : null,
});
