import type { healthResponse } from "@sluice/contracts/health";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { apiGet } from "../../api/client.ts";
import { rich } from "../translate.ts";

const path = "/healthz";
const fullCommit = /^([0-9a-f]{12})[0-9a-f]{28}/;

/** Which version answers: what a report of a problem names. */
export function BuildLine(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof healthResponse>(path, { signal }),
    // A page that is open during an upgrade belongs to the version that it came from.
    staleTime: Number.POSITIVE_INFINITY,
  }));
  return (
    <Show when={query.data}>
      {(build) => (
        <p class="build-line">
          {rich("Version {version}", { version: build().version })}
          <Show when={build().commit}>
            {(commit) => <>{rich(", commit {commit}", { commit: commit().replace(fullCommit, "$1") })}</>}
          </Show>
        </p>
      )}
    </Show>
  );
}
