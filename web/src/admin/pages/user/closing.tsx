import type { adminClosingResponse, ClosingSubject, closingPreviewResponse } from "@sluice/contracts/closing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { known, rich, t } from "../../translate.ts";
import { type UserDetail, userDetailPath } from "./detail.ts";

const path = "/backend/admin/user/closing/";
type Preview = ResponseOf<typeof closingPreviewResponse>["preview"];

const subjectTexts: Readonly<Record<ClosingSubject, string>> = {
  months: t("months of plans that were paid"),
  keys: t("API keys"),
  access_tokens: t("access tokens"),
  sessions: t("sessions"),
  webhooks: t("webhooks"),
  passkeys: t("passkeys"),
  sign_ins: t("linked sign-ins"),
  memberships: t("memberships of organisations"),
  own_organisations: t("organisations with nobody else, with their balance"),
  shared_organisations: t("organisations that need another owner"),
  renewals: t("plans that renew"),
  top_ups: t("automatic top-ups with a saved method"),
  open_orders: t("open orders"),
  open_refunds: t("open refunds"),
};
const effectTexts = { lost: t("Lost"), ends: t("Ends"), blocks: t("Settle first") } as const;

/** Closes the account of a user, or keeps one that is being closed. */
export function ClosingButton(props: { readonly user: UserDetail["user"] }): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const query = createQuery(() => ({
    queryKey: [path, String(props.user.user_id)],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof closingPreviewResponse>(path, { query: { user_id: String(props.user.user_id) }, signal }),
    enabled: isOpen(),
    gcTime: 0,
  }));
  const close = (): void => {
    setIsOpen(false);
  };
  return (
    <Show when={props.user.status !== "closed"}>
      <Button variant="danger" onClick={() => setIsOpen(true)}>
        {t("Close account")}
      </Button>
      <Dialog isOpen={isOpen()} onClose={close} title={t("Close the account")}>
        <Switch fallback={<LoadingPart />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={isOpen() ? query.data?.preview : undefined}>
            {(preview) => <ClosingForm user={props.user} preview={preview()} onDone={close} />}
          </Match>
        </Switch>
      </Dialog>
    </Show>
  );
}

function ClosingForm(props: {
  readonly user: UserDetail["user"];
  readonly preview: Preview;
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(userDetailPath, path, "/backend/admin/user/", "/backend/admin/audit/");
  const { closing, balance } = props.preview;
  const operation = closing === null ? (`${path}begin/` as const) : (`${path}undo/` as const);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    submit: async ({ reason }) => {
      const wish = { user_id: props.user.user_id, reason: reason.trim() };
      const agreed = closing === null ? { agreed_balance: String(balance) } : {};
      const answer = await apiPost<typeof adminClosingResponse>(operation, { ...wish, ...agreed });
      form.reset();
      await refresh();
      showToast(outcomeOf(closing === null, "approval" in answer));
      props.onDone();
    },
  });
  return (
    <Show
      when={closing !== null || props.preview.is_possible}
      fallback={
        <>
          <Effects preview={props.preview} />
          <Notice tone="warn">{t("Settle what has to be settled first, then close the account.")}</Notice>
        </>
      }
    >
      <AdminForm
        form={form}
        operation={operation}
        action={closing === null ? t("Close account") : t("Keep account")}
        tone={closing === null ? "danger" : "primary"}
        onCancel={props.onDone}
      >
        <Show when={closing} fallback={<Effects preview={props.preview} />}>
          {(begun) => (
            <p>
              {rich(
                "The account will be closed on {closes_at}, as the {requested_by} requested. Keeping it lets its API keys work again.",
                { closes_at: shownMoment(begun().closes_at), requested_by: known(begun().requested_by) },
              )}
            </p>
          )}
        </Show>
        <ReasonField form={form} />
      </AdminForm>
    </Show>
  );
}

function outcomeOf(isBegin: boolean, isWaiting: boolean): string {
  if (isWaiting) {
    return t("It waits for a second super-admin.");
  }
  return isBegin ? t("The account is being closed. Its owner gets an e-mail.") : t("The account will not be closed.");
}

function Effects(props: { readonly preview: Preview }): JSX.Element {
  return (
    <>
      <p>
        {rich(
          "API keys are refused, and sessions and access tokens end immediately. After {waiting_days} days, what is left of the balance is lost and personal data is removed. Accounting records stay. Until then, an admin can undo it.",
          { waiting_days: props.preview.waiting_days },
        )}
      </p>
      <ul>
        <Show when={BigInt(props.preview.balance) > 0n}>
          <li>
            {rich("Lost: a balance of {balance}. Refund it first if it is owed.", {
              balance: formats.quota(props.preview.balance),
            })}
          </li>
        </Show>
        <For each={props.preview.effects}>
          {({ effect, count, subject }) => (
            <li>
              {t("{name}: {value}", {
                name: effectTexts[effect],
                value: `${subjectTexts[subject]}, ${shownCount(count)}`,
              })}
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
