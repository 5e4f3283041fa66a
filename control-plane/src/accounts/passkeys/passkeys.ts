import { randomBytes } from "node:crypto";
import type { UserId } from "@sluice/contracts/ids";
import { type beginPasskeyResponse, type MadeCredential, passkeysMax } from "@sluice/contracts/passkeys";
import type { z } from "zod";
import { audit, byUser } from "../../admin/audit/service.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import type { UserCaller } from "../../platform/endpoint/model.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import type { Origin } from "../model.ts";
import { findLoginById, type LoginProfile, lockProfile } from "../store.ts";
import { algorithms, checkMade } from "./ceremonies.ts";
import type { Challenges } from "./challenges.ts";
import { mailAboutPasskey, type PasskeyMailDeps } from "./mail-about-passkey.ts";
import { challengeMinutes, handleBytes, type Passkey, type RelyingParty } from "./model.ts";
import {
  countPasskeys,
  deletePasskey,
  insertPasskey,
  keepHandle,
  selectCredentials,
  selectPasskeys,
  updateName,
} from "./passkey-store.ts";

export type PasskeysDeps = PasskeyMailDeps & {
  readonly db: Database;
  readonly challenges: Challenges;
  /** Null if the address of the service is not a domain name. */
  readonly party: RelyingParty | null;
  /** The name of the service, which browsers show. */
  readonly brandName: () => string;
};

type CreationOptions = z.input<typeof beginPasskeyResponse>["options"];

/**
 * The passkeys of users. An account always has a password or a linked sign-in as well: a passkey can be lost with its
 * device, and all are lost when the service gets another address.
 */
export class Passkeys {
  readonly #deps: PasskeysDeps;

  constructor(deps: PasskeysDeps) {
    this.#deps = deps;
  }

  get isOffered(): boolean {
    return this.#deps.party !== null;
  }

  async list(userId: UserId): Promise<Passkey[]> {
    return await selectPasskeys(this.#deps.db, userId);
  }

  /**
   * What the browser needs to make a key, for a caller who has proved to be the owner.
   * @returns the options, and the `Set-Cookie` with which the browser may finish it
   * @throws AppError `passkeys_unavailable`, `too_many_passkeys`, `step_up_required`
   */
  async begin(user: UserCaller): Promise<{ readonly options: CreationOptions; readonly cookie: string }> {
    const { db, challenges, brandName } = this.#deps;
    const party = this.#party();
    const known = await selectCredentials(db, user.userId);
    if (known.length >= passkeysMax) {
      throw new AppError("too_many_passkeys");
    }
    const handle = await keepHandle(db, user.userId, randomBytes(handleBytes));
    const { challenge, cookie } = challenges.make(user);
    const options: CreationOptions = {
      rp: { id: party.id, name: brandName() },
      user: { id: Buffer.from(handle).toString("base64url"), name: user.email, displayName: user.email },
      challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      timeout: challengeMinutes * 60_000,
      attestation: "none",
      excludeCredentials: known.map(({ id, transports }) => ({ id, type: "public-key", transports })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    };
    return { options, cookie };
  }

  /**
   * Adds the key that the browser has made, and sends a mail.
   * @throws AppError `passkey_failed`, `passkey_taken`, `too_many_passkeys`, `unauthenticated`
   */
  async add(
    user: UserCaller,
    made: { readonly name: string; readonly credential: MadeCredential },
    { request, origin }: { readonly request: Request; readonly origin: Origin },
  ): Promise<Passkey> {
    const party = this.#party();
    const challenge = await this.#deps.challenges.take(request, user);
    const key = await checkMade(made.credential, { challenge, party });
    return await this.#deps.db.withTransaction(async (tx) => {
      const login = await this.#lockActive(tx, user);
      if ((await countPasskeys(tx, user.userId)) >= passkeysMax) {
        throw new AppError("too_many_passkeys");
      }
      const added = await insertPasskey(tx, user.userId, { ...key, name: made.name });
      if (added === null) {
        throw new AppError("passkey_taken");
      }
      const { isSynced, aaguid } = key;
      await audit(tx, byUser(user, origin), "user.passkey_add", {
        ...subjectOf(user),
        after: { name: made.name, isSynced, aaguid },
      });
      await mailAboutPasskey(tx, this.#deps, "passkey_added", login);
      return added;
    });
  }

  /** @throws AppError `not_found`, `unauthenticated` */
  async rename(user: UserCaller, id: bigint, to: { readonly name: string; readonly origin: Origin }): Promise<Passkey> {
    return await this.#deps.db.withTransaction(async (tx) => {
      await this.#lockActive(tx, user);
      const renamed = await updateName(tx, user.userId, id, to.name);
      if (renamed === null) {
        throw notFound("passkey");
      }
      await audit(tx, byUser(user, to.origin), "user.passkey_rename", { ...subjectOf(user), after: { name: to.name } });
      return renamed;
    });
  }

  /**
   * Removes a passkey, and sends a mail. Another way to log in is left in any case.
   * @throws AppError `not_found`, `unauthenticated`
   */
  async remove(user: UserCaller, id: bigint, origin: Origin): Promise<void> {
    await this.#deps.db.withTransaction(async (tx) => {
      const login = await this.#lockActive(tx, user);
      const name = await deletePasskey(tx, user.userId, id);
      if (name === null) {
        throw notFound("passkey");
      }
      await audit(tx, byUser(user, origin), "user.passkey_remove", { ...subjectOf(user), before: { name } });
      await mailAboutPasskey(tx, this.#deps, "passkey_removed", login);
    });
  }

  #party(): RelyingParty {
    if (this.#deps.party === null) {
      throw new AppError("passkeys_unavailable");
    }
    return this.#deps.party;
  }

  async #lockActive(tx: Transaction, { userId }: UserCaller): Promise<LoginProfile> {
    await lockProfile(tx, userId);
    const login = await findLoginById(tx, userId);
    if (login?.status !== "active") {
      throw new AppError("unauthenticated");
    }
    return login;
  }
}

const subjectOf = ({ userId }: UserCaller) => ({ subjectKind: "user", subjectId: userId });
