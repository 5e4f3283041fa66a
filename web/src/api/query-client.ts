import { QueryClient } from "@tanstack/solid-query";
import { ApiError } from "./client.ts";

const retriesMax = 2;
const freshMs = 15_000;

/** One cache for an application. What the backend refused is not asked again by itself; what did not reach it is. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < retriesMax && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
      mutations: { retry: false },
    },
  });
}
