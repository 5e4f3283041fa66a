import { ErrorBoundary, type JSX, Suspense } from "solid-js";
import { ErrorState, Skeleton } from "../kit/states.tsx";

/** A page that fails takes only itself along; one that is on its way holds its place. */
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
      <Suspense
        fallback={
          <div class="page-skeleton" aria-busy="true">
            <Skeleton width="12rem" />
            <Skeleton width="100%" />
            <Skeleton width="80%" />
          </div>
        }
      >
        {props.children}
      </Suspense>
    </ErrorBoundary>
  );
}
