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
import { formats } from "../../formats.ts";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { SuperOnly } from "../../parts/rights.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { shownMoment } from "../../shown.ts";
import { RemoveSecret } from "./remove-secret.tsx";

type Secret = ResponseOf<typeof secretListResponse>["secrets"][number];

const path = "/backend/admin/secret/list/";

const columns: readonly Column<Secret>[] = [
  { id: "name", label: "Name", cell: (secret) => <code>{secret.name}</code>, card: "title" },
  { id: "version", label: "Version", cell: (secret) => formats.number(secret.version), align: "end" },
  { id: "set_by", label: "Set by", cell: (secret) => secret.set_by ?? "the service" },
  { id: "updated_at", label: "Set", cell: (secret) => shownMoment(secret.updated_at) },
  { id: "created_at", label: "Created", cell: (secret) => shownMoment(secret.created_at), isHiddenAtFirst: true },
];

/** Names and versions of the encrypted secrets. Values are write-only. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Secrets");
  return (
    <>
      <PageHead
        title="Secrets"
        text="Credentials of payment gateways, exit nodes and mail. You can replace a value, but it is never shown again."
      />
      <SuperOnly what="Secrets can be viewed and saved">
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
        label="Secrets"
        columns={columns}
        state={state}
        rows={query.data?.secrets}
        rowId={(secret) => secret.name}
        isLoading={query.isPending}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={{
          title: "No secrets yet",
          text: "Payment gateways and exit nodes refer to secrets by name; save each under that name.",
        }}
        actions={
          <Button variant="primary" onClick={() => setEditedName("")}>
            Save secret
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
        title={editedName() === "" ? "Save a secret" : "Replace the value"}
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
          { name: "Name", value: <CopyText text={props.secret.name} label="Copy the name" /> },
          { name: "Version", value: formats.number(props.secret.version) },
          { name: "Set by", value: props.secret.set_by ?? "the service" },
          { name: "Set", value: shownMoment(props.secret.updated_at) },
          { name: "Created", value: shownMoment(props.secret.created_at) },
          { name: "Value", value: "Stored encrypted" },
        ]}
      />
      <div class="button-row">
        <Button onClick={() => props.onReplace()}>Replace value</Button>
        <RemoveSecret name={props.secret.name} />
        <PageLink class="button" href={`/admin/audit/?subject_id=${encodeURIComponent(props.secret.name)}`}>
          Change history
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
      ...(name.trim() === "" ? { name: "Enter the name." } : {}),
      ...(value.trim() === "" ? { value: "Enter the value." } : {}),
    }),
    body: ({ name, value }) => ({
      name: name.trim(),
      value,
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof savedSecretOutput>("/backend/admin/secret/save/", body);
      showToast(outcomeText(answer, ({ secret }) => `${secret.name} saved, version ${secret.version}`));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/secret/save/" action="Save secret" onCancel={props.onDone}>
      <TextField
        label="Name"
        hint="Lower-case letters, digits and underscores, in parts joined by dots."
        autocomplete="off"
        spellcheck={false}
        readOnly={isReplaced}
        {...form.text("name")}
      />
      <TextField
        label="Value"
        hint="Spaces and line breaks around it are removed."
        type="password"
        autocomplete="new-password"
        spellcheck={false}
        {...form.text("value")}
      />
      <SecondPersonNotice what="A credential of payment gateways or mail waits" />
      <Show when={isReplaced}>
        <Notice tone="warn">The new value takes effect at once and replaces the old one.</Notice>
      </Show>
    </AdminForm>
  );
}
