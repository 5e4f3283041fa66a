import type { closingPreviewResponse, closingResponse } from "@sluice/contracts/closing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { accountArea } from "./messages/messages.ts";
import { ProofFields, proofOf } from "./proof-fields.tsx";
import type { User } from "./user.ts";

type Preview = ResponseOf<typeof closingPreviewResponse>["preview"];
type Closing = NonNullable<Preview["closing"]>;

const path = "/backend/auth/closing/";

/** Closing the account: what it would mean, how it begins, and how it is undone while it waits. */
export function ClosingCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const [isAsked, setIsAsked] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }) => apiGet<typeof closingPreviewResponse>(path, { signal }),
  }));
  const close = (): void => {
    setIsAsked(false);
  };
  return (
    <Card title={texts.closing}>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.preview}>
          {(preview) => (
            <>
              <Show
                when={preview().closing}
                fallback={
                  <p class="muted">{fill(texts.closingText, { days: formats.number(preview().waiting_days) })}</p>
                }
              >
                {(closing) => <Waiting closing={closing()} />}
              </Show>
              <Show when={preview().closing?.requested_by !== "operator"}>
                <div class="form-actions">
                  <Button variant={preview().closing === null ? "danger" : "primary"} onClick={() => setIsAsked(true)}>
                    {preview().closing === null ? texts.closingBegin : texts.closingUndo}
                  </Button>
                </div>
              </Show>
              <Dialog
                isOpen={isAsked()}
                onClose={close}
                title={preview().closing === null ? texts.closing : texts.closingUndo}
              >
                <Show when={isAsked()}>
                  <ClosingForm user={props.user} preview={preview()} onDone={close} />
                </Show>
              </Dialog>
            </>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

function Waiting(props: { readonly closing: Closing }): JSX.Element {
  const texts = accountArea.texts();
  const text = (): string => (props.closing.requested_by === "operator" ? texts.closingByOperator : texts.closingWaits);
  return <Notice tone="warn">{fill(text(), { date: formats.date(props.closing.closes_at) })}</Notice>;
}

/** The owner confirms what is lost, or that the account is kept. */
function ClosingForm(props: {
  readonly user: User;
  readonly preview: Preview;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  // The preview is read again while the dialog is open; what it is about stays.
  const { closing, balance } = props.preview;
  const isUndo = closing !== null;
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async (typed) => {
      if (isUndo) {
        await apiPost(`${path}undo/`, proofOf(typed));
      } else {
        await apiPost<typeof closingResponse>(`${path}begin/`, { agreed_balance: String(balance), ...proofOf(typed) });
      }
      showToast(isUndo ? texts.closingUndone : texts.closingBegun);
      for (const name of [path, "sessions", "me"]) {
        void client.invalidateQueries({ queryKey: [name] });
      }
      props.onDone();
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Show when={!isUndo}>
        <Effects preview={props.preview} />
      </Show>
      <Show when={isUndo || props.preview.is_possible}>
        <ProofFields user={props.user} password={form.text("password")} code={form.text("code")} />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant={isUndo ? "primary" : "danger"} isBusy={form.isSubmitting()}>
            {isUndo ? texts.closingUndo : texts.closingBegin}
          </Button>
        </div>
      </Show>
    </form>
  );
}

function Effects(props: { readonly preview: Preview }): JSX.Element {
  const texts = accountArea.texts();
  const blocking = () => props.preview.effects.filter(({ effect }) => effect === "blocks");
  const ending = () => props.preview.effects.filter(({ effect }) => effect !== "blocks");
  return (
    <>
      <Show when={blocking().length > 0}>
        <Notice tone="warn">
          {texts.closingBlocks}
          <EffectList effects={blocking()} />
        </Notice>
      </Show>
      <Show when={BigInt(props.preview.balance) > 0n}>
        <Notice tone="bad">
          {fill(texts.closingBalance, { amount: formats.quotaRounded(props.preview.balance) })}
        </Notice>
      </Show>
      <Show when={ending().length > 0}>
        <div>
          {texts.closingEnds}
          <EffectList effects={ending()} />
        </div>
      </Show>
      <p>{texts.closingAtOnce}</p>
      <p class="muted">{fill(texts.closingText, { days: formats.number(props.preview.waiting_days) })}</p>
    </>
  );
}

function EffectList(props: { readonly effects: Preview["effects"] }): JSX.Element {
  const texts = accountArea.texts();
  return (
    <ul>
      <For each={props.effects}>
        {({ subject, count }) => (
          <li>
            {texts.closingSubjects[subject]}: <bdi>{formats.number(Number(count))}</bdi>
          </li>
        )}
      </For>
    </ul>
  );
}
