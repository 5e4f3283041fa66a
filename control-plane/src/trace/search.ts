import type { TraceListInput, TraceView } from "@sluice/contracts/traces";
import { type Clock, dayMs } from "../platform/clock.ts";
import type { Database } from "../platform/db.ts";
import { DatabaseTimeoutError } from "../platform/db-errors.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { type KeysetPage, readKeysetPage } from "../platform/keyset-page.ts";
import { daysOfRequest } from "../platform/request-days.ts";
import { type AccessRow, listAccesses } from "./access-store.ts";
import {
  durationRange,
  payloadCutoff,
  searchBounds,
  type TraceFilter,
  type TraceOrder,
  type TraceRules,
} from "./model.ts";
import { type CallUsage, findCallUsage, findKeysNamed, findTrace, searchTraces } from "./search-store.ts";
import { findStoredBodies, type StoredBodies } from "./store.ts";

export type TraceSearchDeps = { readonly db: Database; readonly clock: Clock; readonly rules: () => TraceRules };

/** Everything that is known about one call, without its bodies. */
export type TraceDetail = {
  readonly trace: TraceView;
  readonly usage: Omit<CallUsage, "attempts"> | null;
  readonly attempts: CallUsage["attempts"];
  readonly bodies: (StoredBodies & { readonly expiresAt: Date }) | null;
  readonly accesses: readonly AccessRow[];
};

const accessesShown = 50;
const keysNamedMax = 100;

/** Finds calls for admins: metadata only. */
export class TraceSearching {
  readonly #deps: TraceSearchDeps;

  constructor(deps: TraceSearchDeps) {
    this.#deps = deps;
  }

  /** A page of calls. @throws AppError `temporarily_unavailable` when it takes too long */
  async list(input: TraceListInput): Promise<KeysetPage<TraceView, string>> {
    if (input.request_id !== undefined) {
      const found = await this.#findByRequestId(input.request_id, input);
      return { rows: found, nextCursor: null };
    }
    const { db, clock, rules } = this.#deps;
    const now = clock.now();
    // The partitions of expired days may not have been dropped yet.
    const oldestMs = now - (rules().metadataRetentionDays + 1) * dayMs;
    const filter = await this.#withKeys(toFilter(input), input.key_name);
    if (filter === null) {
      return { rows: [], nextCursor: null };
    }
    const order = orderOf(input.sort);
    const isByTime = order.by === "time";
    const bounded = isByTime ? filter : withinDurations(filter, now);
    const cursor = input.cursor ?? null;
    const timed = { cursor: isByTime ? cursor : null, isOldestFirst: isByTime && order.isAscending };
    const search = {
      filter: bounded,
      order,
      after: isByTime ? null : cursor,
      ...searchBounds(bounded, timed, oldestMs),
      payloadCutoff: payloadCutoff(rules(), now),
    };
    const find = (limit: number) => inTime(() => searchTraces(db, { ...search, limit }));
    return await readKeysetPage(input.limit, find, ({ day, request_id: id }) => `${day}_${id}`);
  }

  /**
   * One call, with its attempts, its cost, and the accesses to its payload.
   * @param day in UTC; null when only the request id is known, which contains it
   * @throws AppError `not_found`
   */
  async detail(requestId: string, day: string | null): Promise<TraceDetail> {
    const { db, clock, rules } = this.#deps;
    const days = day === null ? daysOfRequest(requestId) : [day];
    const trace = await findTrace(db, { requestId, days }, payloadCutoff(rules(), clock.now()));
    if (trace === null) {
      throw notFound("call");
    }
    const place = { day: trace.day, requestId };
    const found = await findCallUsage(db, place);
    const bodies = trace.payload === "stored" ? await findStoredBodies(db, place) : null;
    const { attempts = [], ...usage } = found ?? {};
    const keptMs = Math.min(rules().payloadRetentionDays, rules().metadataRetentionDays) * dayMs;
    return {
      trace,
      usage: found === null ? null : usage,
      attempts,
      bodies: bodies === null ? null : { ...bodies, expiresAt: new Date(trace.started_at.getTime() + keptMs) },
      accesses: await listAccesses(db, { requestId, adminId: null, before: null }, accessesShown),
    };
  }

  /**
   * The filter with the keys of a name; null if there are none.
   * @throws AppError `invalid_parameter` if they are of several accounts, or too many
   */
  async #withKeys(filter: TraceFilter, name: string | undefined): Promise<TraceFilter | null> {
    if (name === undefined) {
      return filter;
    }
    const { gatewayUserId, email } = filter;
    const keys = await inTime(() => findKeysNamed(this.#deps.db, { name, gatewayUserId, email }, keysNamedMax + 1));
    const [first] = keys;
    if (first === undefined) {
      return null;
    }
    if (keys.some((key) => key.gatewayUserId !== first.gatewayUserId)) {
      throw new AppError("invalid_parameter", {
        fields: { key_name: "Several accounts have a key with this name. Add the user's e-mail." },
      });
    }
    if (keys.length > keysNamedMax) {
      throw new AppError("invalid_parameter", {
        fields: { key_name: `More than ${keysNamedMax} keys have this name. Use the ID of the key.` },
      });
    }
    return { ...filter, gatewayUserId: first.gatewayUserId, keyIds: keys.map(({ id }) => id) };
  }

  /** A request id identifies one call; other conditions only decide whether it matches. */
  async #findByRequestId(requestId: string, input: TraceListInput): Promise<TraceView[]> {
    const { db, clock, rules } = this.#deps;
    const place = { requestId, days: daysOfRequest(requestId) };
    const found = await findTrace(db, place, payloadCutoff(rules(), clock.now()));
    if (found === null || !isMeant(found, input)) {
      return [];
    }
    const usage = input.channel_id === undefined ? null : await findCallUsage(db, { day: found.day, requestId });
    return usage?.["channel_id"] === input.channel_id || input.channel_id === undefined ? [found] : [];
  }
}

function orderOf(sort: TraceListInput["sort"]): TraceOrder {
  return { by: sort.endsWith("duration_ms") ? "duration" : "time", isAscending: !sort.startsWith("-") };
}

/** @throws AppError `invalid_parameter` for a range that is too long to be sorted by duration */
function withinDurations(filter: TraceFilter, nowMs: number): TraceFilter {
  const range = durationRange(filter, nowMs);
  if (range === null) {
    const message = "A list by duration covers at most 24 hours. Choose a shorter time.";
    throw new AppError("invalid_parameter", { message, fields: { from: message } });
  }
  return { ...filter, ...range };
}

function isMeant(row: TraceView, input: TraceListInput): boolean {
  const pairs: readonly (readonly [asked: unknown, is: unknown])[] = [
    [input.user_id, row.user_id],
    [input.gateway_user_id, row.gateway_user_id],
    [input.key_id, row.key_id],
    [input.key_name, row.key_name],
    [input.model, row.model],
    [input.status, row.status],
    [input.http_status, row.http_status],
    [input.email?.toLowerCase(), row.email?.toLowerCase()],
    [input.error_code, row.error_code],
  ];
  const isInTime =
    (input.from === undefined || row.started_at >= input.from) && (input.to === undefined || row.started_at < input.to);
  return isInTime && pairs.every(([asked, is]) => asked === undefined || asked === is);
}

function toFilter(input: TraceListInput): TraceFilter {
  return {
    gatewayUserId: input.gateway_user_id ?? null,
    userId: input.user_id ?? null,
    keyId: input.key_id ?? null,
    keyIds: null,
    model: input.model ?? null,
    status: input.status ?? null,
    httpStatus: input.http_status ?? null,
    email: input.email ?? null,
    errorCode: input.error_code ?? null,
    channelId: input.channel_id ?? null,
    from: input.from ?? null,
    to: input.to ?? null,
  };
}

async function inTime<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) {
      const message = "This search covers too much. Choose fewer days, or remove a condition.";
      throw new AppError("temporarily_unavailable", { message, cause: error });
    }
    throw error;
  }
}
