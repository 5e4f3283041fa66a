import type { savedSecretOutput, secretListResponse } from "@sluice/contracts/secrets";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { SuperOnly } from "../../parts/rights.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";
import { RemoveSecret } from "./remove-secret.tsx";

type Secret = ResponseOf<typeof secretListResponse>["secrets"][number];

const path = "/backend/admin/secret/list/";

const columns: readonly Column<Secret>[] = [
  { id: "name", label: t("Name"), cell: (secret) => <code>{secret.name}</code>, card: "title" },
  { id: "version", label: t("Version"), cell: (secret) => formats.number(secret.version), align: "end" },
  { id: "set_by", label: t("Set by"), cell: (secret) => secret.set_by ?? t("the service") },
  { id: "updated_at", label: t("Set"), cell: (secret) => listMoment(secret.updated_at) },
  { id: "created_at", label: t("Created"), cell: (secret) => listMoment(secret.created_at), isHiddenAtFirst: true },
];

/** Names and versions of the encrypted secrets. Values are write-only. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Secrets"));
  return (
    <>
      <PageHead
        title={t("Secrets")}
        text={t(
          "Credentials of payment gateways, exit nodes and mail. You can replace a value, but it is never shown again.",
        )}
      />
      <SuperOnly what={t("Secrets can be viewed and saved")}>
        <SecretList />
      </SuperOnly>
    </>
  );
}

function SecretList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const [editedName, setEditedName] = createSignal<string | null>(null);
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof secretListResponse>(path, { signal }),
  }));
  return (
    <>
      <DataTable
        name="admin-secrets"
        label={t("Secrets")}
        columns={columns}
        state={state}
        rows={query.data?.secrets}
        rowId={(secret) => secret.name}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={{
          title: t("No secrets yet"),
          text: t("Payment gateways and exit nodes refer to secrets by name; save each under that name."),
        }}
        actions={
          <Button variant="primary" onClick={() => setEditedName("")}>
            {t("Save secret")}
          </Button>
        }
        panel={{
          title: (secret) => secret.name,
          content: (secret) => <SecretPanel secret={secret} onReplace={() => setEditedName(secret.name)} />,
        }}
      />
      <Dialog
        isOpen={editedName() !== null}
        onClose={() => setEditedName(null)}
        title={editedName() === "" ? t("Save a secret") : t("Replace the value")}
      >
        <SecretForm name={editedName() ?? ""} onDone={() => setEditedName(null)} />
      </Dialog>
    </>
  );
}

function SecretPanel(props: { readonly secret: Secret; readonly onReplace: () => void }): JSX.Element {
  return (
    <>
      <Facts
        facts={[
          { name: t("Name"), value: <CopyText text={props.secret.name} label={t("Copy the name")} /> },
          { name: t("Version"), value: formats.number(props.secret.version) },
          { name: t("Set by"), value: props.secret.set_by ?? t("the service") },
          { name: t("Set"), value: shownMoment(props.secret.updated_at) },
          { name: t("Created"), value: shownMoment(props.secret.created_at) },
          { name: t("Value"), value: t("Stored encrypted") },
        ]}
      />
      <div class="button-row">
        <Button onClick={() => props.onReplace()}>{t("Replace value")}</Button>
        <RemoveSecret name={props.secret.name} />
        <PageLink class="button" href={`/admin/audit/?subject_id=${encodeURIComponent(props.secret.name)}`}>
          {t("Change history")}
        </PageLink>
      </div>
    </>
  );
}

function SecretForm(props: { readonly name: string; readonly onDone: () => void }): JSX.Element {
  const isReplaced = props.name !== "";
  const refresh = useRefresh(path);
  const form = createForm({
    initial: { name: props.name, value: "" },
    check: ({ name, value }) => ({
      ...(name.trim() === "" ? { name: t("Enter the name.") } : {}),
      ...(value.trim() === "" ? { value: t("Enter the value.") } : {}),
    }),
    body: ({ name, value }) => ({
      name: name.trim(),
      value,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof savedSecretOutput>("/backend/admin/secret/save/", body);
      showToast(
        outcomeText(answer, ({ secret }) =>
          t("{name} saved, version {version}", { name: secret.name, version: secret.version }),
        ),
      );
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/secret/save/" action={t("Save secret")} onCancel={props.onDone}>
      <TextField
        label={t("Name")}
        hint={t("Lower-case letters, digits and underscores, in parts joined by dots.")}
        autocomplete="off"
        spellcheck={false}
        readOnly={isReplaced}
        {...form.text("name")}
      />
      <TextField
        label={t("Value")}
        hint={t("Spaces and line breaks around it are removed.")}
        type="password"
        autocomplete="new-password"
        spellcheck={false}
        {...form.text("value")}
      />
      <SecondPersonNotice what={t("A credential of payment gateways or mail waits")} />
      <Show when={isReplaced}>
        <Notice tone="warn">{t("The new value takes effect immediately and replaces the old one.")}</Notice>
      </Show>
    </AdminForm>
  );
}
