import type { providerListResponse } from "@sluice/contracts/sign-in";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SuperOnly } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { kindNames, type Provider, providerListPath, providersPath } from "./provider.ts";
import { ProviderForm } from "./provider-form.tsx";

const stateOf = ({ is_enabled }: Provider): string => (is_enabled ? "enabled" : "disabled");

const columns: readonly Column<Provider>[] = [
  {
    id: "label",
    label: t("Button"),
    cell: (provider) => <bdi>{rich("Continue with {label}", { label: provider.label })}</bdi>,
    card: "title",
  },
  { id: "kind", label: t("Protocol"), cell: (provider) => kindNames[provider.kind] },
  { id: "issuer", label: t("Issuer"), cell: (provider) => <bdi>{provider.issuer}</bdi> },
  { id: "is_enabled", label: t("State"), cell: (provider) => <StateWord state={stateOf(provider)} />, card: "badge" },
  {
    id: "may_register",
    label: t("New accounts"),
    cell: (provider) => (provider.may_register ? t("yes") : t("only existing accounts")),
  },
  { id: "users", label: t("Linked users"), cell: (provider) => shownCount(provider.users), align: "end" },
  {
    id: "updated_at",
    label: t("Updated"),
    cell: (provider) => listMoment(provider.updated_at),
    isHiddenAtFirst: true,
  },
];

/** Where users may sign in other than here. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Sign-in"));
  return (
    <>
      <PageHead
        title={t("Sign-in")}
        text={t(
          "People sign in and register here with their accounts at these services. The owner of a service can sign in as its users, so add only services you trust.",
        )}
      />
      <SuperOnly what={t("Sign-in services can be viewed and changed")}>
        <ProviderList />
      </SuperOnly>
    </>
  );
}

function ProviderList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const [opened, setOpened] = createSignal<Provider | "new" | null>(null);
  const close = (): void => {
    setOpened(null);
  };
  const query = createQuery(() => ({
    queryKey: [providerListPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof providerListResponse>(providerListPath, { signal }),
  }));
  return (
    <>
      <DataTable
        name="admin-sign-in"
        label={t("Sign-in services")}
        columns={columns}
        state={state}
        rows={query.data?.providers}
        rowId={(provider) => provider.slug}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={{ title: t("No services yet"), text: t("Users log in with an e-mail address and a password.") }}
        actions={
          <Button variant="primary" onClick={() => setOpened("new")}>
            <Icon name="plus" />
            {t("Add service")}
          </Button>
        }
        panel={{
          title: (provider) => provider.label,
          content: (provider) => <ProviderPanel provider={provider} onEdit={() => setOpened(provider)} />,
        }}
      />
      <Dialog
        isOpen={opened() !== null}
        onClose={close}
        title={opened() === "new" ? t("Add a sign-in service") : t("Edit a sign-in service")}
        size="wide"
      >
        <Show when={opened()}>
          {(which) => (
            <ProviderForm
              provider={which() === "new" ? null : (which() as Provider)}
              callbackBase={query.data?.callback_base ?? ""}
              onDone={close}
            />
          )}
        </Show>
      </Dialog>
    </>
  );
}

function ProviderPanel(props: { readonly provider: Provider; readonly onEdit: () => void }): JSX.Element {
  const [isRemoving, setIsRemoving] = createSignal(false);
  return (
    <>
      <Dialog isOpen={isRemoving()} onClose={() => setIsRemoving(false)} title={t("Remove a sign-in service")}>
        <Show when={isRemoving()}>
          <RemoveForm provider={props.provider} onDone={() => setIsRemoving(false)} />
        </Show>
      </Dialog>
      <Facts
        facts={[
          { name: t("State"), value: <StateWord state={stateOf(props.provider)} /> },
          { name: t("Protocol"), value: kindNames[props.provider.kind] },
          { name: t("Issuer"), value: <bdi>{props.provider.issuer}</bdi> },
          { name: t("Client ID"), value: <CopyText text={props.provider.client_id} label={t("Copy the client ID")} /> },
          { name: t("Secret"), value: t("Stored encrypted") },
          {
            name: t("Callback address"),
            value: <CopyText text={props.provider.callback_url} label={t("Copy the callback address")} />,
          },
          { name: t("Linked users"), value: shownCount(props.provider.users) },
          { name: t("Added"), value: shownMoment(props.provider.created_at) },
          { name: t("Updated"), value: shownMoment(props.provider.updated_at) },
        ]}
      />
      <div class="button-row">
        <Button onClick={() => props.onEdit()}>{t("Edit")}</Button>
        <Show when={!props.provider.is_enabled}>
          <Button variant="danger" onClick={() => setIsRemoving(true)}>
            {t("Remove")}
          </Button>
        </Show>
        <PageLink class="button" href={`/admin/audit/?subject_id=${encodeURIComponent(props.provider.slug)}`}>
          {t("Change history")}
        </PageLink>
      </div>
    </>
  );
}

function RemoveForm(props: { readonly provider: Provider; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(providerListPath, "/backend/admin/audit/");
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    body: ({ reason }) => ({ slug: props.provider.slug, reason: reason.trim() }),
    submit: async (_, body) => {
      await apiPost(`${providersPath}remove/`, body);
      await refresh();
      showToast(t("The service was removed."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/sign-in-provider/remove/"
      action={t("Remove")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        {rich(
          "The stored secret is deleted. {users} users keep their links, which work again with a service of the same issuer; those without a password need a reset link until then.",
          { users: shownCount(props.provider.users) },
        )}
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
