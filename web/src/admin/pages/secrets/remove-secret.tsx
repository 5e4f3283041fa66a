import type { removedSecretOutput, SecretUse, secretUsesOutput } from "@sluice/contracts/secrets";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { rich, t } from "../../translate.ts";

const usesPath = "/backend/admin/secret/uses/";
const removePath = "/backend/admin/secret/remove/";

const useTexts: Readonly<Record<SecretUse["kind"], string>> = {
  exit_node: t("Relay key of the exit node"),
  walletpay: t("The wallet gateway, which is offered for payments"),
  cardpay: t("The card gateway, which is offered for payments"),
  mail: t("E-mail delivery"),
};

/** Deletes a secret after saying what needs it. */
export function RemoveSecret(props: { readonly name: string }): JSX.Element {
  const [isOpen, setIsOpen] = createSignal(false);
  const close = (): void => {
    setIsOpen(false);
  };
  return (
    <>
      <Button variant="danger" onClick={() => setIsOpen(true)}>
        {t("Delete")}
      </Button>
      <Dialog isOpen={isOpen()} onClose={close} title={t("Delete the secret")}>
        <Show when={isOpen()}>
          <RemoveForm name={props.name} onDone={close} />
        </Show>
      </Dialog>
    </>
  );
}

function RemoveForm(props: { readonly name: string; readonly onDone: () => void }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [usesPath, props.name],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof secretUsesOutput>(usesPath, { query: { name: props.name }, signal }),
    gcTime: 0,
  }));
  const refresh = useRefresh("/backend/admin/secret/list/");
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    submit: async ({ reason }) => {
      await apiPost<typeof removedSecretOutput>(removePath, { name: props.name, reason: reason.trim() });
      await refresh();
      showToast(t("{name} was deleted.", { name: props.name }));
      props.onDone();
    },
  });
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.uses.length === 0}>
        <AdminForm form={form} operation={removePath} action={t("Delete now")} tone="danger" onCancel={props.onDone}>
          <p>
            {rich("The value of {name} is destroyed and can’t be brought back.", { name: <code>{props.name}</code> })}
          </p>
          <ReasonField form={form} />
        </AdminForm>
      </Match>
      <Match when={query.data?.uses}>
        {(uses) => (
          <>
            <ul>
              <For each={uses()}>
                {({ kind, name }) => (
                  <li>
                    {useTexts[kind]}
                    <Show when={kind === "exit_node"}>
                      {" "}
                      <code>{name}</code>
                    </Show>
                  </li>
                )}
              </For>
            </ul>
            <Notice tone="warn">{t("Change what needs it first, then delete it.")}</Notice>
          </>
        )}
      </Match>
    </Switch>
  );
}
