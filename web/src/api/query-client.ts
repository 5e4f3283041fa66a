import { QueryClient } from "@tanstack/solid-query";
import { ApiError } from "./client.ts";

const retriesMax = 2;
const freshMs = 15_000;
const retryMs = 400;

/** One cache per application. Requests that the backend refused are not retried; those that did not reach it are. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: true,
        retryDelay: (failures) => retryMs * 2 ** failures,
        retry: (failures, error) =>
          failures < retriesMax && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      },
      mutations: { retry: false },
    },
  });
}
