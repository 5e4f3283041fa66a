import { ErrorBoundary, type JSX } from "solid-js";
import { ErrorState } from "../kit/states.tsx";

/** A page that fails takes only itself along. */
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
