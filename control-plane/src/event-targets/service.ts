import type { DeliveryView, OperatorPlace, TargetView } from "@sluice/contracts/event-targets";
import {
  type EventType,
  oldSecretHours,
  operatorTargetsMax,
  replaysMax,
  testsPerHourMax,
  userTargetsMax,
} from "@sluice/contracts/event-types";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import { HttpClientError } from "@sluice/http-client/model";
import { AddressRefusedError } from "@sluice/http-client/server-guard";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import { eventChannel } from "../events/model.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import { randomText } from "../platform/crypto/random-text.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { takeAdvisoryLock } from "../platform/db-locks.ts";
import { notify } from "../platform/db-notifications.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { type KeysetPage, readKeysetPage } from "../platform/keyset-page.ts";
import { accessOf, newSigningSecret, openAccess, sealAccess, shownPlace, type TargetAccess } from "./access.ts";
import { endWaiting } from "./delivery/delivery-store.ts";
import { eventIdOf, webhookBody } from "./delivery/write-message.ts";
import {
  countTargets,
  countTests,
  countTestsOf,
  deleteTarget,
  findTargetOf,
  hasTarget,
  insertTarget,
  insertTest,
  lockDelivery,
  lockTarget,
  requeueDelivery,
  type StoredTarget,
  selectAttempts,
  selectDeliveries,
  selectTargets,
  type TargetOwner,
  updateTarget,
} from "./target-store.ts";

export type EventTargetsDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  /** Where customers' webhooks may lead, and whether they may be reached without encryption. */
  readonly customers: { readonly guard: AddressGuard; readonly isPlainAllowed: boolean };
};

/** Whose targets, and who asks from where. */
export type TargetCaller = TargetOwner & AuditOrigin;

export type TargetWish = {
  readonly name: string;
  readonly place: OperatorPlace;
  readonly events: readonly EventType[];
};
export type TargetSave = Omit<TargetWish, "place"> & {
  readonly target_id: bigint;
  readonly version: number;
  readonly is_enabled: boolean;
  readonly place?: OperatorPlace | undefined;
};

const sealNameLength = 24;

/** Where accounts and the operator want events to be sent, and what was sent there. */
export class EventTargets {
  readonly #deps: EventTargetsDeps;

  constructor(deps: EventTargetsDeps) {
    this.#deps = deps;
  }

  async list(owner: TargetOwner): Promise<TargetView[]> {
    return await selectTargets(this.#deps.db, owner);
  }

  /**
   * Adds a target. The secret of a webhook is returned only here.
   * @throws AppError `conflict` with too many targets, `invalid_value`
   */
  async create(caller: TargetCaller, wish: TargetWish): Promise<{ target: TargetView; secret: string | null }> {
    const { db, masterKey } = this.#deps;
    await this.#checkPlace(caller, wish.place);
    const secret = newSigningSecret();
    const access = accessOf(wish.place, { secret, oldSecret: null });
    return await db.withTransaction(async (tx) => {
      await takeAdvisoryLock(tx, `event-targets:${caller.gatewayUserId ?? "operator"}`);
      const most = targetsMaxOf(caller);
      if ((await countTargets(tx, caller)) >= most) {
        throw new AppError("conflict", { message: `There are already ${most} of these. Remove one first.` });
      }
      const sealName = randomText(sealNameLength);
      const { name, events } = wish;
      const { kind } = access;
      const sealed = { sealName, accessSealed: sealAccess(masterKey, sealName, access) };
      const target = await insertTarget(tx, caller, { kind, name, place: shownPlace(access), events, ...sealed });
      await audit(tx, caller, "event_target.create", { ...subjectOf(target), after: summaryOf(target) });
      return { target, secret: kind === "webhook" ? secret : null };
    });
  }

  /**
   * Changes the loaded version. Without a new place, events go where they went.
   * @throws AppError `not_found`, `version_conflict`, `invalid_value`
   */
  async save(caller: TargetCaller, change: TargetSave): Promise<TargetView> {
    const { db, masterKey } = this.#deps;
    const { target_id: id, version, name, events, place, is_enabled: isEnabled } = change;
    if (place !== undefined) {
      await this.#checkPlace(caller, place);
    }
    return await db.withTransaction(async (tx) => {
      const before = await own(tx, caller, id);
      if (before.view.version !== version) {
        throw new AppError("version_conflict");
      }
      const isSwitchedOff = !isEnabled && before.view.status === "active";
      const status = isEnabled ? ("active" as const) : ("off" as const);
      const keepsFailed = !isEnabled && before.view.status === "failed";
      const target = await updateTarget(tx, id, {
        name,
        events,
        ...(keepsFailed || status === before.view.status ? {} : { status }),
        ...(place === undefined ? {} : this.#newPlace(masterKey, before, place)),
      });
      if (isSwitchedOff) {
        await endWaiting(tx, id);
      }
      const summaries = { before: summaryOf(before.view), after: summaryOf(target) };
      await audit(tx, caller, "event_target.save", { ...subjectOf(target), ...summaries });
      return target;
    });
  }

  /** Removes a target with its log. @throws AppError `not_found` */
  async remove(caller: TargetCaller, id: bigint): Promise<bigint> {
    return await this.#deps.db.withTransaction(async (tx) => {
      const { view } = await own(tx, caller, id);
      await deleteTarget(tx, id);
      await audit(tx, caller, "event_target.remove", { ...subjectOf(view), before: summaryOf(view) });
      return id;
    });
  }

  /**
   * Gives a webhook a new secret. Messages are signed with both for a while.
   * @throws AppError `not_found`, `conflict` for another kind
   */
  async rotate(caller: TargetCaller, id: bigint): Promise<{ target: TargetView; secret: string }> {
    const { db, masterKey } = this.#deps;
    return await db.withTransaction(async (tx) => {
      const before = await own(tx, caller, id);
      const access = openAccess(masterKey, before.sealName, before.accessSealed);
      if (access.kind !== "webhook") {
        throw new AppError("conflict", { message: "Only webhooks have a secret for signatures." });
      }
      const secret = newSigningSecret();
      const rotated: TargetAccess = { ...access, secret, oldSecret: access.secret };
      const target = await updateTarget(tx, id, {
        accessSealed: sealAccess(masterKey, before.sealName, rotated),
        oldSecretHours,
      });
      await audit(tx, caller, "event_target.rotate", subjectOf(target));
      return { target, secret };
    });
  }

  /** Queues a test. @throws AppError `not_found`, `conflict` for a target that is off, `too_many_attempts` */
  async test(caller: TargetCaller, id: bigint): Promise<bigint> {
    return await this.#deps.db.withTransaction(async (tx) => {
      const { view } = await own(tx, caller, id);
      requireActive(view);
      // A target that was removed and added again would begin a new count.
      const most = testsPerHourMax * targetsMaxOf(caller);
      if ((await countTests(tx, id)) >= testsPerHourMax || (await countTestsOf(tx, caller)) >= most) {
        throw new AppError("too_many_attempts", { retryAfterSeconds: 3_600 });
      }
      const deliveryId = await insertTest(tx, caller, id);
      await notify(tx, eventChannel, "");
      return deliveryId;
    });
  }

  /** What was sent to a target, newest first. @throws AppError `not_found` */
  async deliveries(
    owner: TargetOwner,
    page: { readonly targetId: bigint; readonly before: bigint | null; readonly limit: number },
  ): Promise<KeysetPage<DeliveryView, bigint>> {
    const { db } = this.#deps;
    if (!(await hasTarget(db, owner, page.targetId))) {
      throw notFound("webhook");
    }
    const read = (limit: number) => selectDeliveries(db, owner, { ...page, limit });
    const { rows, nextCursor } = await readKeysetPage(page.limit, read, ({ id }) => id);
    const attempts = await selectAttempts(
      db,
      rows.map(({ id }) => id),
    );
    const views = rows.map(({ id, status, createdAt, nextAttemptAt, event }) => ({
      delivery_id: id,
      event_id: eventIdOf(event),
      type: event.type,
      payload: webhookBody(event, event),
      count: event.count,
      status,
      created_at: createdAt,
      next_attempt_at: status === "queued" ? nextAttemptAt : null,
      attempts: attempts.get(id) ?? [],
    }));
    return { rows: views, nextCursor };
  }

  /**
   * Sends something again that was delivered or given up.
   * @throws AppError `not_found`, `conflict` for one that is still under way, for the last time or to a target that is off
   */
  async replay(caller: TargetCaller, deliveryId: bigint): Promise<bigint> {
    return await this.#deps.db.withTransaction(async (tx) => {
      // Targets are locked before their deliveries.
      const targetId = await findTargetOf(tx, caller, deliveryId);
      if (targetId === null) {
        throw notFound("delivery");
      }
      const { view } = await own(tx, caller, targetId);
      const delivery = await lockDelivery(tx, caller, deliveryId);
      if (delivery === null) {
        throw notFound("delivery");
      }
      requireActive(view);
      if (delivery.status === "queued" || delivery.status === "sending") {
        throw new AppError("conflict", { message: "This is still being delivered." });
      }
      if (delivery.replays >= replaysMax) {
        throw new AppError("conflict", { message: `This was already sent again ${replaysMax} times.` });
      }
      await requeueDelivery(tx, deliveryId);
      await audit(tx, caller, "event_delivery.replay", { subjectKind: "event_delivery", subjectId: deliveryId });
      await notify(tx, eventChannel, "");
      return deliveryId;
    });
  }

  #newPlace(masterKey: MasterKey, before: StoredTarget, place: OperatorPlace) {
    const known = openAccess(masterKey, before.sealName, before.accessSealed);
    if (known.kind !== place.kind) {
      throw new AppError("conflict", { message: "Its kind can't be changed. Add another one instead." });
    }
    const kept = known.kind === "webhook" ? known : { secret: "", oldSecret: null };
    const access = accessOf(place, { secret: kept.secret, oldSecret: kept.oldSecret });
    return { place: shownPlace(access), accessSealed: sealAccess(masterKey, before.sealName, access) };
  }

  /** Customers must name an encrypted, public address. It is judged again at each connection. */
  async #checkPlace({ gatewayUserId }: TargetOwner, place: OperatorPlace): Promise<void> {
    if (gatewayUserId === null || place.kind !== "webhook") {
      return;
    }
    const { guard, isPlainAllowed } = this.#deps.customers;
    const { protocol, hostname, port } = new URL(place.url);
    const isSecure = protocol === "https:";
    if (!isSecure && !isPlainAllowed) {
      throw invalidUrl("Enter an address that begins with https://.");
    }
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    try {
      await guard.addressesOf({ hostname: host, port: port === "" ? (isSecure ? 443 : 80) : Number(port) });
    } catch (error) {
      // A name that does not resolve now may do so later; one that leads into a private network is refused.
      if (error instanceof AddressRefusedError) {
        throw invalidUrl("This address is not on the public internet.");
      }
      if (!(error instanceof HttpClientError)) {
        throw error;
      }
    }
  }
}

const targetsMaxOf = ({ gatewayUserId }: TargetOwner): number =>
  gatewayUserId === null ? operatorTargetsMax : userTargetsMax;

const invalidUrl = (sentence: string): AppError => new AppError("invalid_value", { fields: { url: sentence } });

/** @throws AppError `not_found` for a target of someone else too */
async function own(tx: Transaction, owner: TargetOwner, id: bigint): Promise<StoredTarget> {
  const found = await lockTarget(tx, owner, id);
  if (found === null) {
    throw notFound("webhook");
  }
  return found;
}

function requireActive({ status }: TargetView): void {
  if (status !== "active") {
    throw new AppError("conflict", { message: "This is switched off. Switch it on first." });
  }
}

const subjectOf = ({ target_id }: TargetView) => ({ subjectKind: "event_target", subjectId: target_id });
const summaryOf = ({ kind, name, place, events, status }: TargetView) => ({ kind, name, place, events, status });
