import { type Component, createSignal, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { Skeleton } from "../kit/states.tsx";

/** What is around a page and decides whether it is drawn. */
export type Gate = Component<{ readonly children: JSX.Element }>;

const OpenGate: Gate = (props) => <>{props.children}</>;

/**
 * A page that is loaded when it is first shown. It is not inside a `Suspense`: there, a query that starts in the page
 * would take the page off the screen, with its head, its skeletons, the focus and the input.
 * @param Around the page's code is loaded before it opens
 */
export function loadedPage(load: () => Promise<{ readonly Page: Component }>, Around: Gate = OpenGate): Component {
  const [page, setPage] = createSignal<Component>();
  return () => {
    const [failure, setFailure] = createSignal<{ readonly error: unknown } | null>(null);
    if (page() === undefined) {
      load().then(
        ({ Page }) => setPage(() => Page),
        (error: unknown) => setFailure({ error }),
      );
    }
    return (
      <Around>
        <Show when={failure()}>{(failed) => <Failed error={failed().error} />}</Show>
        <Show when={page()} fallback={<PageSkeleton />}>
          {(component) => <Dynamic component={component()} />}
        </Show>
      </Around>
    );
  };
}

/** Passes the failure to the boundary around the page. */
function Failed(props: { readonly error: unknown }): JSX.Element {
  throw props.error;
}

/** The place of a page until it can be shown. */
export function PageSkeleton(): JSX.Element {
  return (
    <div class="page-skeleton" aria-busy="true">
      <Skeleton width="12rem" />
      <Skeleton width="100%" />
      <Skeleton width="80%" />
    </div>
  );
}
