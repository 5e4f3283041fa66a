import { children, type JSX, Show } from "solid-js";
import { Button } from "./button.tsx";
import { useKitTexts } from "./kit-texts.tsx";
import type { Tone } from "./status.tsx";
import "./states.css";

/** The state of an empty list: why it is empty, and what to do next. */
export function EmptyState(props: {
  readonly title: string;
  readonly children?: JSX.Element;
  readonly actions?: JSX.Element;
}): JSX.Element {
  return (
    <div class="state" data-kind="empty">
      <span class="state-title">{props.title}</span>
      <Show when={props.children}>
        <div class="state-text">{props.children}</div>
      </Show>
      <Show when={props.actions}>
        <div class="state-actions">{props.actions}</div>
      </Show>
    </div>
  );
}

/** How an error describes itself; `ApiError` has this form. */
type ShownError = { readonly message: string; readonly requestId?: string | null };

/** The state after a failure: what failed, the request id for support, and a way to try again. */
export function ErrorState(props: {
  readonly error: ShownError | Error | null;
  readonly onRetry?: (() => void) | undefined;
  readonly title?: string;
}): JSX.Element {
  const texts = useKitTexts();
  const requestId = (): string | null =>
    props.error !== null && "requestId" in props.error ? (props.error.requestId ?? null) : null;
  return (
    <div class="state" data-kind="error" role="alert">
      <span class="state-title">{props.title ?? texts().failed}</span>
      <Show when={props.error?.message}>{(message) => <div class="state-text">{message()}</div>}</Show>
      <Show when={requestId()}>
        {(id) => (
          <span class="muted">
            {texts().requestId} <code>{id()}</code>
          </span>
        )}
      </Show>
      <Show when={props.onRetry}>
        {(retry) => (
          <div class="state-actions">
            <Button onClick={() => retry()()}>{texts().retry}</Button>
          </div>
        )}
      </Show>
    </div>
  );
}

/** The placeholder of a text that is loading. */
export function Skeleton(props: { readonly width?: string }): JSX.Element {
  return <span class="skeleton" style={{ "inline-size": props.width ?? "60%" }} aria-hidden="true" />;
}

/** The placeholder of a part of a page that is loading, about as large as it will be, so that little below it moves. */
export function LoadingPart(props: { readonly size?: "line" | "card" | "chart" | "page" }): JSX.Element {
  const texts = useKitTexts();
  return (
    <div class="loading-part" data-size={props.size ?? "card"} aria-busy="true">
      <span class="visually-hidden">{texts().loading}</span>
      <Skeleton width="40%" />
      <Skeleton width="100%" />
      <Skeleton width="70%" />
    </div>
  );
}

/**
 * The content below a part of unknown height: it is created, and requests its data, but is shown only when that part is
 * loaded. Otherwise it would jump away under the reader's eyes and finger.
 */
export function ShownAfter(props: { readonly isReady: boolean; readonly children: JSX.Element }): JSX.Element {
  return (
    <div class="shown-after" hidden={!props.isReady}>
      {props.children}
    </div>
  );
}

/** A note in the flow of a page. */
export function Notice(props: { readonly tone: Tone; readonly children: JSX.Element }): JSX.Element {
  const content = children(() => props.children);
  const isAct = (part: unknown): boolean =>
    part instanceof Element && part.matches(".button, .button-row, .form-actions");
  return (
    <div class="notice" data-tone={props.tone}>
      {/* A sentence with names in it is one item beside the buttons, not one for each piece. */}
      <Show when={content.toArray().some((part) => typeof part === "string")} fallback={content()}>
        <div>{content.toArray().filter((part) => !isAct(part))}</div>
        {content.toArray().filter(isAct)}
      </Show>
    </div>
  );
}
