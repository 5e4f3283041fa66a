import type { UserId } from "@sluice/contracts/ids";
import type { Locale } from "@sluice/contracts/locales";
import type { CreditRefusal } from "@sluice/contracts/registration-rules";
import type { ConsentText } from "../../consents/model.ts";
import type { Consents } from "../../consents/service.ts";
import { addressNetwork } from "../../platform/client-address.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { addressKeyOf } from "../email-address.ts";
import type { KnownDevices } from "../login/known-devices.ts";
import type { GatewayUsers, NeededConsent, OnReferred, OnVerified, RegistrationNeeds } from "../port.ts";
import { admitRegistration } from "./admission.ts";
import type { ClosedMarks } from "./closed-marks.ts";
import type { Proof, ProofOfWork } from "./proof-of-work.ts";
import { readReferral } from "./referral-cookie.ts";
import {
  countPaid,
  decideRegistration,
  insertRegistration,
  lockRules,
  lockUndecided,
  type PaidOrigins,
  type Registered,
  type RegistrationRules,
  readRules,
  replaceInvitation,
  takeInvitation,
} from "./registration-store.ts";

export type NewcomerDeps = {
  readonly db: Database;
  readonly work: ProofOfWork;
  readonly devices: KnownDevices;
  readonly marks: ClosedMarks;
  readonly gatewayUsers: GatewayUsers;
  readonly onVerified: OnVerified;
  readonly onReferred: OnReferred;
  readonly consents: Consents;
};

/** What somebody who wants to register brings along. */
export type Passes = {
  /** The code of an invitation; empty for none. */
  readonly invitation: string;
  /** `vouched` for people whom a sign-in provider vouches for: that provider has its own defences. */
  readonly proof: Proof | "vouched" | null;
  /** The editions of the legal pages that the person accepts; `later` for people whom the console asks when they arrive. */
  readonly accepts: readonly NeededConsent[] | "later";
};

/** Somebody who may register. */
export type Admitted = {
  readonly registered: Registered;
  /** From the link by which they came; null for none. */
  readonly referralCode: string | null;
  /** The texts that are accepted with the registration, and from which address. */
  readonly accepted: readonly ConsentText[];
  readonly ip: string;
};

export type Newcomer = { readonly userId: UserId; readonly email: string; readonly requestId: string };

/** The only way by which accounts come to be, whether with a password or by a provider: who may, and what they get. */
export class Newcomers {
  readonly #deps: NewcomerDeps;

  constructor(deps: NewcomerDeps) {
    this.#deps = deps;
  }

  /** What a registration needs now, with a fresh challenge. */
  async needs(): Promise<RegistrationNeeds> {
    const { mode, domains, proofBits } = await readRules(this.#deps.db);
    const proof = proofBits === 0 ? null : this.#deps.work.issue(proofBits);
    const accepts = this.#deps.consents.needed("en").map(({ page, edition }) => ({ page, edition }));
    return { mode, domains, proof, accepts };
  }

  /**
   * Decides whether an address may register. A proof is used up only when everything else is right.
   * @throws AppError `registration_closed`, `domain_refused`, `invitation_required`, `invitation_unusable`, `consent_required`,
   * `proof_required`
   */
  async admit(
    email: string,
    { invitation, proof, accepts }: Passes,
    from: { readonly ip: string; readonly request: Request; readonly locale: Locale },
  ): Promise<Admitted> {
    const { db, work, devices, consents } = this.#deps;
    const rules = await readRules(db);
    const invitationId = await admitRegistration(db, rules, { email, invitation });
    const accepted = accepts === "later" ? [] : consents.acceptedBy(accepts, from.locale);
    if (rules.proofBits > 0 && proof !== "vouched") {
      await work.check(proof, email, rules.proofBits);
    }
    const device = devices.readVisitor(from.request);
    const registered = { invitationId, network: addressNetwork(from.ip), device, addressKey: addressKeyOf(email) };
    return { registered, referralCode: readReferral(from.request), accepted, ip: from.ip };
  }

  /** Somebody registers an address again that waits for verification: it takes an invitation that lets its owner in. */
  async renew(userId: UserId, { registered: { invitationId } }: Admitted): Promise<void> {
    if (invitationId !== null) {
      await replaceInvitation(this.#deps.db, userId, invitationId);
    }
  }

  /** Remembers how the new user registered, until the address is verified, by whose link, and what was accepted. */
  async record(tx: Transaction, user: Newcomer, { registered, referralCode, accepted, ip }: Admitted): Promise<void> {
    const { userId } = user;
    await insertRegistration(tx, userId, registered);
    await this.#deps.consents.record(tx, user, accepted, { way: "registration", ip });
    if (referralCode !== null) {
      await this.#deps.onReferred(tx, userId, referralCode);
    }
  }

  /**
   * Gives a user whose address has just been verified what the invitation and the rules say, once, and then what was bought
   * under the address.
   * @throws AppError `invitation_unusable` if others have used it up, or an admin has revoked it
   */
  async welcome(tx: Transaction, userId: UserId): Promise<void> {
    const found = await lockUndecided(tx, userId);
    if (found !== null) {
      const { gatewayUsers, marks } = this.#deps;
      const invitation = found.invitationId === null ? null : await takeInvitation(tx, found.invitationId);
      if (found.invitationId !== null && invitation === null) {
        throw new AppError("invitation_unusable");
      }
      if (invitation !== null && invitation.groupName !== null) {
        await gatewayUsers.startIn(tx, found.gatewayUserId, invitation.groupName);
      }
      const credit = await decideCredit(tx, toOrigins(found, marks), invitation?.creditQuota ?? null);
      await decideRegistration(tx, userId, credit);
      if (credit.creditQuota > 0n) {
        const grant = { amount: credit.creditQuota, changeType: "registration_credit" } as const;
        await gatewayUsers.credit(tx, found.gatewayUserId, { ...grant, reference: `registration:${userId}` });
      }
    }
    await this.#deps.onVerified(tx, userId);
  }
}

/**
 * What a newcomer gets. Free credit is paid once for an address, and so many times from a network and a device. What an
 * invitation grants is bounded by the invitation instead, except that an address still gets nothing twice.
 */
async function decideCredit(
  tx: Transaction,
  of: PaidOrigins,
  invited: bigint | null,
): Promise<{ readonly creditQuota: bigint; readonly creditRefusal: CreditRefusal | null }> {
  if ((invited ?? (await readRules(tx)).creditQuota) === 0n) {
    return { creditQuota: 0n, creditRefusal: null };
  }
  const rules = await lockRules(tx);
  const amount = invited ?? rules.creditQuota;
  const paid = await countPaid(tx, of);
  const refusal = paid.address > 0 ? "address" : invited === null ? refusalOf(rules, paid) : null;
  // The amount may be 0 by now, if an admin has just switched it off.
  return { creditQuota: refusal === null ? amount : 0n, creditRefusal: refusal };
}

function toOrigins({ addressKey, network, device }: Registered, marks: ClosedMarks): PaidOrigins {
  const named = (origin: string): readonly string[] => [origin, ...marks.all(origin)];
  return { addressKey, networks: named(network), devices: device === null ? [] : named(device) };
}

type PaidSoFar = Awaited<ReturnType<typeof countPaid>>;

function refusalOf(rules: RegistrationRules, { network, device, today }: PaidSoFar): CreditRefusal | null {
  const limits: readonly (readonly [CreditRefusal, number, number])[] = [
    ["network_day", network.today, rules.creditsPerNetworkDay],
    ["network", network.ever, rules.creditsPerNetwork],
    ["device_day", device.today, rules.creditsPerDeviceDay],
    ["device", device.ever, rules.creditsPerDevice],
    ["day", today, rules.creditsPerDay],
  ];
  return limits.find(([, paid, most]) => most > 0 && paid >= most)?.[0] ?? null;
}
