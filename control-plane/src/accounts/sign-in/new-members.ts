import { audit, byUser } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { pageLocaleOf } from "../../platform/page-locale.ts";
import { countFromAddress } from "../attempts/attempts.ts";
import type { AddressNumbers } from "../attempts/model.ts";
import type { Origin } from "../model.ts";
import type { GatewayUsers } from "../port.ts";
import type { Newcomers } from "../registration/newcomers.ts";
import { insertProvenProfile, type LoginProfile } from "../store.ts";
import { insertIdentity } from "./identity-store.ts";
import type { Person, Provider } from "./model.ts";

export type NewMemberDeps = {
  readonly db: Database;
  readonly gatewayUsers: Pick<GatewayUsers, "create">;
  readonly newcomers: Newcomers;
  readonly limits: () => AddressNumbers;
};

/** Accounts for people who come by a provider. They have no password until they set one by a reset link. */
export class NewMembers {
  readonly #deps: NewMemberDeps;

  constructor(deps: NewMemberDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an active account for an address that the provider vouches for, with the identity linked.
   * @throws AppError `not_registered`, `address_unverified`, `too_many_attempts`, `sign_in_failed` if somebody took the
   * address or the identity at the same moment; those of `Newcomers.admit`
   */
  async add(
    provider: Pick<Provider, "mayRegister">,
    { email, isEmailVerified, name, issuer, subject }: Person,
    {
      request,
      origin,
      invitation,
    }: { readonly request: Request; readonly origin: Origin; readonly invitation: string },
  ): Promise<Pick<LoginProfile, "userId" | "email" | "locale">> {
    const { db, gatewayUsers, newcomers, limits } = this.#deps;
    if (!provider.mayRegister) {
      throw new AppError("not_registered");
    }
    if (email === null || !isEmailVerified) {
      throw new AppError("address_unverified");
    }
    await countFromAddress(db, "registration", origin.ip, limits().registrations);
    const locale = pageLocaleOf(request, "");
    const passes = { invitation, proof: "vouched", accepts: "later" } as const;
    const admitted = await newcomers.admit(email, passes, { ip: origin.ip, request, locale });
    return await db.withTransaction(async (tx) => {
      const gatewayUserId = await gatewayUsers.create(tx, email);
      const userId = await insertProvenProfile(tx, { email, displayName: name, locale, gatewayUserId });
      if (userId === null || !(await insertIdentity(tx, userId, { issuer, subject, email }))) {
        throw new AppError("sign_in_failed");
      }
      await audit(tx, byUser({ userId, email }, origin), "user.register", {
        subjectKind: "user",
        subjectId: userId,
        after: { email, displayName: name, gatewayUserId, issuer, subject },
      });
      await newcomers.record(tx, { userId, email, requestId: origin.requestId }, admitted);
      await newcomers.welcome(tx, userId);
      return { userId, email, locale };
    });
  }
}
