import {
  accountPaths,
  accountReadsPerMinute,
  accountUsageDaysMax,
  isAccountPath,
} from "@sluice/contracts/account-paths";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { Clock } from "../../platform/clock.ts";
import { addDays, countDays, todayIn } from "../../platform/days.ts";
import type { Database } from "../../platform/db.ts";
import { isDatabaseOutage } from "../../platform/db-errors.ts";
import { AppError } from "../../platform/errors.ts";
import { RateBucket } from "../../platform/rate-bucket.ts";
import { findKey } from "../keys/settings-store.ts";
import type { GatewayCall, GatewayResponse, Principal } from "../model.ts";
import { type DayRange, type DaySums, type Figures, plainShapes, type SpanSums, toKey, toUsage } from "./model.ts";
import {
  findMaker,
  selectAccountFunds,
  selectDays,
  selectMemberDays,
  selectMemberFunds,
  selectMemberSpans,
  selectSpans,
} from "./store.ts";

const daysShown = 30;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Usage and balance for the holder of an API key. A key with a limit of its own sees only that; any other key can spend
 * what the account has, and sees it, except that a member of an organisation who may not see its usage sees that of their own
 * keys. Each read is a query, so an account may make only so many in a minute.
 */
export class AccountFigures {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #reads = new Map<GatewayUserId, RateBucket>();
  #replicas = 1;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The limit is divided evenly among live replicas. */
  setReplicas(count: number): void {
    this.#replicas = Math.max(1, count);
  }

  /** Forgets accounts that have not asked for a while. */
  forgetIdle(): void {
    const tick = this.#clock.tick();
    for (const [id, bucket] of this.#reads) {
      if (bucket.isFull(tick)) {
        this.#reads.delete(id);
      }
    }
  }

  /**
   * @throws AppError `rate_limit_exceeded`, `invalid_parameter` for invalid days, `temporarily_unavailable` while the
   * database is unreachable
   */
  async answer({ path, query }: Pick<GatewayCall, "path" | "query">, principal: Principal): Promise<GatewayResponse> {
    if (!isAccountPath(path)) {
      throw new AppError("not_found");
    }
    this.#count(principal.gatewayUserId);
    const shape = accountPaths[path];
    const range = shape === "usage" ? readRange(query, this.#clock.now()) : null;
    try {
      const body = await this.#shape(shape, principal, range);
      const headers = { "content-type": "application/json; charset=utf-8" };
      return { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
    } catch (error) {
      throw isDatabaseOutage(error)
        ? new AppError("temporarily_unavailable", { retryAfterSeconds: 2, cause: error })
        : error;
    }
  }

  async #shape(
    shape: (typeof accountPaths)[keyof typeof accountPaths],
    principal: Principal,
    range: DayRange | null,
  ): Promise<object> {
    const figures = await this.#figures(principal);
    if (shape === "key") {
      return toKey(figures, await this.#spans(figures, principal.gatewayUserId));
    }
    if (range !== null) {
      return toUsage(figures, range, await this.#days(figures, principal.gatewayUserId, range));
    }
    return plainShapes[shape as keyof typeof plainShapes](figures);
  }

  async #spans({ scope, memberId }: Figures, gatewayUserId: GatewayUserId): Promise<SpanSums | null> {
    if (memberId !== null) {
      return await selectMemberSpans(this.#db, { gatewayUserId, memberId }, this.#now());
    }
    return scope === "account" ? await selectSpans(this.#db, gatewayUserId, this.#now()) : null;
  }

  async #days({ scope, memberId }: Figures, gatewayUserId: GatewayUserId, range: DayRange): Promise<DaySums[] | null> {
    if (memberId !== null) {
      return await selectMemberDays(this.#db, { gatewayUserId, memberId }, range);
    }
    return scope === "account" ? await selectDays(this.#db, gatewayUserId, range) : null;
  }

  async #figures({ apiKeyId, gatewayUserId, expiresAtMs, allowedModels }: Principal): Promise<Figures> {
    const record = await findKey(this.#db, { gatewayUserId, madeById: null }, apiKeyId);
    if (record === null) {
      throw new AppError("invalid_api_key");
    }
    const { name, requests_per_minute: requestsPerMinute, period_ends_at: resetsAt, ...view } = record.view;
    const models = allowedModels === null ? null : [...allowedModels];
    const key = { keyName: name, keyExpiresAtMs: expiresAtMs, requestsPerMinute, resetsAt, models };
    const { quota_limit: limit, quota_used: used } = view;
    if (limit !== null && used !== null) {
      return { scope: "api_key", memberId: null, limit, used, remaining: view.quota_remaining ?? 0n, ...key };
    }
    const maker = await findMaker(this.#db, apiKeyId);
    if (maker !== null && (maker.hasLeft || !mayInOrganisation(maker.role, "usage"))) {
      const { memberId } = maker;
      const funds = await selectMemberFunds(this.#db, { apiKeyId, memberId, now: this.#now() });
      return { scope: "member", memberId, limit: funds.used + funds.remaining, ...funds, ...key };
    }
    const { given, remaining } = await selectAccountFunds(this.#db, gatewayUserId);
    return { scope: "account", memberId: null, limit: given, used: given - remaining, remaining, ...key };
  }

  #count(id: GatewayUserId): void {
    const tick = this.#clock.tick();
    const known = this.#reads.get(id) ?? null;
    const bucket = RateBucket.shared(known, accountReadsPerMinute, 1 / this.#replicas);
    this.#reads.set(id, bucket);
    if (!bucket.has(1, tick)) {
      throw new AppError("rate_limit_exceeded", {
        message: `An account can request its usage at most ${accountReadsPerMinute} times per minute.`,
        retryAfterSeconds: bucket.secondsUntil(1, tick),
      });
    }
    bucket.take(1, tick);
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

/** The days of the query, by default the last 30. @throws AppError `invalid_parameter` */
function readRange(query: string, nowMs: number): DayRange {
  const asked = new URLSearchParams(query);
  const toDay = readDay(asked, "end_date") ?? todayIn("UTC", nowMs).toString();
  const fromDay = readDay(asked, "start_date") ?? addDays(toDay, 1 - daysShown);
  const days = countDays(fromDay, toDay);
  if (days < 1 || days > accountUsageDaysMax) {
    throw new AppError("invalid_parameter", {
      message: `Choose 1 to ${accountUsageDaysMax} days.`,
      param: "start_date",
    });
  }
  return { fromDay, toDay };
}

function readDay(asked: URLSearchParams, name: "start_date" | "end_date"): string | null {
  const text = asked.get(name);
  if (text === null) {
    return null;
  }
  if (!dayPattern.test(text) || !isDay(text)) {
    throw new AppError("invalid_parameter", { message: `'${name}' must be a day such as 2026-11-30.`, param: name });
  }
  return text;
}

function isDay(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" }).toString() === text;
  } catch {
    return false;
  }
}
