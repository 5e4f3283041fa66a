import { ErrorBoundary, type JSX } from "solid-js";
import { ErrorState } from "../kit/states.tsx";

/** Contains the failure of a page, so that nothing else fails. */
export function PageBoundary(props: { readonly failedTitle: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <ErrorBoundary
      fallback={(error: unknown, reset) => (
        <ErrorState
          title={props.failedTitle}
          error={error instanceof Error ? error : new Error(String(error))}
          onRetry={reset}
        />
      )}
    >
      {props.children}
    </ErrorBoundary>
  );
}
