import { type Component, createSignal, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { LoadingPart, Skeleton } from "../kit/states.tsx";
import { firstHead } from "./first-head.ts";

/** What is around a page and decides whether it is drawn. */
export type Gate = Component<{ readonly children: JSX.Element }>;

const OpenGate: Gate = (props) => <>{props.children}</>;

/** Code that is loaded once, when it is first wanted; what went wrong concerns only the attempt. */
function createLoader<Part>(load: () => Promise<Part>) {
  const [part, setPart] = createSignal<Part>();
  return () => {
    const [failure, setFailure] = createSignal<{ readonly error: unknown } | null>(null);
    if (part() === undefined) {
      load().then(
        (loaded) => setPart(() => loaded),
        (error: unknown) => setFailure({ error }),
      );
    }
    return { part, failure };
  };
}

/**
 * A page that is loaded when it is first shown. It is not inside a `Suspense`: there, a query that starts in the page
 * would take the page off the screen, with its head, its skeletons, the focus and the input.
 * @param Around the page's code is loaded before it opens
 */
export function loadedPage(load: () => Promise<{ readonly Page: Component }>, Around: Gate = OpenGate): Component {
  const begin = createLoader(load);
  return () => {
    const { part, failure } = begin();
    return (
      <Around>
        <Show when={failure()}>{(failed) => <Failed error={failed().error} />}</Show>
        <Show when={part()} fallback={<PageSkeleton />}>
          {(loaded) => <Dynamic component={loaded().Page} />}
        </Show>
      </Around>
    );
  };
}

/** The same for a part of a page, such as a form that a button opens. */
export function latePart<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> {
  const begin = createLoader(async () => ({ Part: await load() }));
  return (props) => {
    const { part, failure } = begin();
    return (
      <>
        <Show when={failure()}>{(failed) => <Failed error={failed().error} />}</Show>
        <Show when={part()} fallback={<LoadingPart />}>
          {(loaded) => <Dynamic component={loaded().Part} {...props} />}
        </Show>
      </>
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
    <>
      {firstHead()}
      <div class="page-skeleton" aria-busy="true">
        <Skeleton width="12rem" />
        <Skeleton width="100%" />
        <Skeleton width="80%" />
      </div>
    </>
  );
}
