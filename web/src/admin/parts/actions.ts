import { useQueryClient } from "@tanstack/solid-query";
import { type Accessor, createSignal } from "solid-js";
import { ApiError } from "../../api/client.ts";
import { showToast } from "../../kit/toast.tsx";
import { t } from "../translate.ts";

/** Refetches everything that came from these backend paths. */
export function useRefresh(...paths: readonly string[]): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] })));
  };
}

export type Action = {
  readonly isBusy: Accessor<boolean>;
  /** Does the work once at a time and reports the outcome; true on success. */
  readonly run: (work: () => Promise<string>) => Promise<boolean>;
};

/** An action for one button press. What it changed is refetched, a failure is shown with its request id. */
export function createAction(...paths: readonly string[]): Action {
  const refresh = useRefresh(...paths);
  const [isBusy, setIsBusy] = createSignal(false);
  return {
    isBusy,
    run: async (work) => {
      if (isBusy()) {
        return false;
      }
      setIsBusy(true);
      try {
        showToast(await work());
        await refresh();
        return true;
      } catch (error) {
        showToast(failureText(error), "bad");
        return false;
      } finally {
        setIsBusy(false);
      }
    },
  };
}

/** The message of a failure, with its request id if it has one. */
export function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const fields = error instanceof ApiError ? Object.values(error.fields) : [];
  const requestId =
    error instanceof ApiError && error.requestId !== null
      ? t(" Request {requestId}", { requestId: error.requestId })
      : "";
  return [message, ...fields].join(" ") + requestId;
}
