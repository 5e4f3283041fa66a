import { AppError } from "../../platform/errors.ts";
import type { CallHeaders } from "../model.ts";

/** What a call asks of the cache, and what its response says about it. */
export const cacheHeader = "x-sluice-cache";
/** How long a call wants its response to be kept, in seconds. */
export const cacheLifetimeHeader = "x-sluice-cache-ttl";

/** What a call may do with the cache. */
export type CacheWish = {
  readonly isRead: boolean;
  readonly isKept: boolean;
  /** The oldest response that the call takes. */
  readonly ageSecondsMax: number;
  /** Null for the operator's choice. */
  readonly lifetimeSeconds: number | null;
};

const secondsPattern = /^[1-9]\d{0,8}$/;
const maxAge = /^max-age=(\d{1,9})$/;
const wishes: ReadonlyMap<string, Pick<CacheWish, "isRead" | "isKept">> = new Map([
  ["off", { isRead: false, isKept: false }],
  ["refresh", { isRead: false, isKept: true }],
]);

/**
 * Reads the wishes of a call from its own headers and from `Cache-Control`; the stricter wins.
 * @throws AppError `invalid_parameter` for a value that means nothing
 */
export function readWish(headers: CallHeaders): CacheWish {
  const directives = (headers.get("cache-control") ?? "")
    .toLowerCase()
    .split(",", 32)
    .map((part) => part.trim());
  const age = directives.map((directive) => maxAge.exec(directive)?.[1]).find((found) => found !== undefined);
  const own = readOwn(headers.get(cacheHeader));
  const isForbidden = directives.includes("no-store");
  return {
    isRead: own.isRead && !isForbidden && !directives.includes("no-cache"),
    isKept: own.isKept && !isForbidden,
    ageSecondsMax: age === undefined ? Number.POSITIVE_INFINITY : Number(age),
    lifetimeSeconds: readLifetime(headers.get(cacheLifetimeHeader)),
  };
}

function readOwn(value: string | null): Pick<CacheWish, "isRead" | "isKept"> {
  if (value === null) {
    return { isRead: true, isKept: true };
  }
  const wish = wishes.get(value.trim().toLowerCase());
  if (wish === undefined) {
    throw new AppError("invalid_parameter", {
      message: `The header '${cacheHeader}' must be 'off' or 'refresh'.`,
      param: cacheHeader,
    });
  }
  return wish;
}

function readLifetime(value: string | null): number | null {
  if (value === null) {
    return null;
  }
  if (!secondsPattern.test(value.trim())) {
    throw new AppError("invalid_parameter", {
      message: `The header '${cacheLifetimeHeader}' must be a whole number of seconds, at least 1.`,
      param: cacheLifetimeHeader,
    });
  }
  return Number(value);
}
