import { mayInOrganisation } from "@sluice/contracts/organisation-rights";
import type { ownPayloadResponse } from "@sluice/contracts/own-payloads";
import type { BodyView } from "@sluice/contracts/traces";
import { createMutation, useQueryClient } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/code.tsx";
import { readableBody } from "../../../kit/readable-body.ts";
import { ErrorState } from "../../../kit/states.tsx";
import { acting } from "../../acting-for.ts";
import { formats } from "../../formats.ts";
import type { Call } from "./call.ts";
import { usageArea } from "./messages/messages.ts";
import { accessPath, createReadingQuery, payloadPath, type Reading } from "./reading.ts";

const dayMs = 86_400_000;
const readsAll = acting === null || mayInOrganisation(acting.role, "contents");

/**
 * The request and the response of a call, where the account lets its users read them. They are fetched only when they are asked
 * for, and gone from the page as soon as the call is left.
 */
export function Contents(props: { readonly call: Call }): JSX.Element {
  const texts = usageArea.texts();
  const reading = createReadingQuery();
  const shown = (): Reading | undefined => {
    const { reading: found } = reading.data ?? {};
    return found !== undefined && mayRead(found) ? found : undefined;
  };
  const beganAt = (): number => Date.parse(props.call.started_at);
  return (
    <Switch>
      <Match when={reading.isError && reading.data === undefined}>
        <ErrorState error={reading.error} onRetry={() => void reading.refetch()} />
      </Match>
      <Match when={shown()}>
        {(of) => (
          <section class="section-stack" aria-label={texts.contents}>
            <h3>{texts.contents}</h3>
            <Switch fallback={<Opened call={props.call} />}>
              <Match when={beganAt() < Date.parse(of().since ?? "")}>
                <p class="muted">{texts.contentsEarly}</p>
              </Match>
              <Match when={beganAt() + of().kept_days * dayMs < Date.now()}>
                <p class="muted">{fill(texts.contentsOver, { count: formats.number(of().kept_days) })}</p>
              </Match>
            </Switch>
          </section>
        )}
      </Match>
    </Switch>
  );
}

/** The backend decides; this only spares a button that could do nothing. */
function mayRead({ is_allowed, since, by_members }: Reading): boolean {
  return is_allowed && since !== null && (readsAll || by_members);
}

function Opened(props: { readonly call: Call }): JSX.Element {
  const texts = usageArea.texts();
  const client = useQueryClient();
  const open = createMutation(() => ({
    mutationFn: ({ request_id, day }: Call) =>
      apiPost<typeof ownPayloadResponse>(payloadPath, { request_id, day: String(day) }),
    onSettled: () => client.invalidateQueries({ queryKey: [accessPath] }),
    gcTime: 0,
  }));
  return (
    <>
      <Show when={open.error}>{(error) => <ErrorState error={error()} />}</Show>
      <Show
        when={open.data}
        fallback={
          <>
            <p class="muted">{texts.contentsNote}</p>
            <div class="button-row">
              <Button isBusy={open.isPending} onClick={() => open.mutate(props.call)}>
                {texts.contentsShow}
              </Button>
            </div>
          </>
        }
      >
        {(data) => (
          <>
            <div class="button-row">
              <Button onClick={() => open.reset()}>{texts.contentsHide}</Button>
            </div>
            <Body title={texts.contentsRequest} body={data().request} />
            <Body title={texts.contentsResponse} body={data().response} />
          </>
        )}
      </Show>
    </>
  );
}

function Body(props: { readonly title: string; readonly body: BodyView | null }): JSX.Element {
  const texts = usageArea.texts();
  const notes = (body: BodyView): string =>
    [
      fill(texts.contentsBytes, { count: formats.number(body.bytes) }),
      ...(body.encoding === "base64" ? [texts.contentsBase64] : []),
      ...(body.is_truncated ? [texts.contentsCut] : []),
    ].join(", ");
  return (
    <div class="section-stack">
      <div class="button-row">
        <h4>{props.title}</h4>
        <span class="muted">{props.body === null ? texts.contentsNone : notes(props.body)}</span>
        <Show when={props.body}>
          {(body) => (
            <CopyButton
              text={() => body().content}
              label={fill(texts.contentsCopy, { what: props.title })}
              variant="quiet"
              isSquare
            />
          )}
        </Show>
      </div>
      <Show when={props.body}>
        {(body) => (
          <section class="code-value" dir="auto" tabindex="0" aria-label={props.title}>
            {readableBody(body())}
          </section>
        )}
      </Show>
    </div>
  );
}
