import type { Registry } from "prom-client";
import { counter, gauge } from "../../platform/metric.ts";
import type { CacheObserver, ResponseCache } from "./response-cache.ts";

/** What operators see of the cache at `/metrics`. */
export function observeCache(registry: Registry): CacheObserver {
  const lookups = counter(
    registry,
    "sluice_response_cache_lookups_total",
    "Calls looked up in the response cache.",
    "result",
  );
  const kept = counter(registry, "sluice_response_cache_kept_total", "Responses that were put into the cache.");
  const evicted = counter(registry, "sluice_response_cache_evictions_total", "Responses that made room for others.");
  return {
    onLookup: (result) => lookups(1, result),
    onKept: () => kept(1),
    onEvicted: (count) => {
      if (count > 0) {
        evicted(count);
      }
    },
  };
}

export function registerCacheGauges(registry: Registry, cache: Pick<ResponseCache, "bytes" | "size">): void {
  gauge(registry, "sluice_response_cache_bytes", "Memory of cached responses.", () => cache.bytes);
  gauge(registry, "sluice_response_cache_entries", "Cached responses in memory.", () => cache.size);
}
