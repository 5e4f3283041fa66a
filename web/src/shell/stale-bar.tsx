import { type Query, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { ApiError, isSessionEnd } from "../api/client.ts";
import { Button } from "../kit/button.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";

/**
 * Reports that something on the page could not be refreshed. The old data stays, with all input; a part that never
 * loaded reports that itself, in its place.
 */
export function StaleBar(props: { readonly text: string }): JSX.Element {
  const texts = useKitTexts();
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const [failure, setFailure] = createSignal<Error | null>(null);
  const look = (): void => {
    const errors = cache.getAll().map((query) => (isStale(query) ? query.state.error : null));
    // An expired login has its own dialog.
    setFailure(errors.find((error) => error !== null && !isSessionEnd(error)) ?? null);
  };
  onMount(() => onCleanup(cache.subscribe(look)));
  const requestId = (error: Error): string | null => (error instanceof ApiError ? error.requestId : null);
  return (
    <div role="status">
      <Show when={failure()}>
        {(error) => (
          <div class="shell-bar" data-kind="stale">
            <span>
              {props.text} <bdi>{error().message}</bdi>
            </span>
            <Show when={requestId(error())}>
              {(id) => (
                <span>
                  {texts().requestId} <code>{id()}</code>
                </span>
              )}
            </Show>
            <Button onClick={() => void client.refetchQueries({ predicate: isStale })}>{texts().retry}</Button>
          </div>
        )}
      </Show>
    </div>
  );
}

function isStale(query: Query): boolean {
  return query.isActive() && query.state.status === "error" && query.state.data !== undefined;
}
