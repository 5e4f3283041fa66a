import type { AdminOperation } from "@sluice/contracts/admin-rights";
import type { exitAccountEntry, exitAccountResponse } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { exitAccountStatuses, exitAuthTypes } from "../../values.ts";
import { nodePaths } from "./node-form.tsx";

type Account = ResponseOf<typeof exitAccountEntry>;

/** The provider accounts that a node may use. Their credentials are stored only on the node. */
export function AccountCard(props: { readonly nodeCode: string; readonly accounts: readonly Account[] }): JSX.Element {
  const [edited, setEdited] = createSignal<Account | "new" | null>(null);
  const account = (): Account | null => ((each) => (each === "new" ? null : each))(edited());
  return (
    <Card
      title={t("Accounts")}
      actions={
        <ActButton operation="/backend/admin/exit-node/account/save/" onClick={() => setEdited("new")}>
          {t("Add account")}
        </ActButton>
      }
    >
      <Show
        when={props.accounts.length > 0}
        fallback={
          <EmptyState title={t("No accounts")}>
            {t("Without an active account, no call goes through this node.")}
          </EmptyState>
        }
      >
        <SimpleTable
          label={t("Accounts")}
          rows={props.accounts}
          columns={[
            { label: t("Account"), cell: (row) => <code>{row.account_code}</code> },
            { label: t("Provider"), cell: (row) => row.provider },
            { label: t("Login method"), cell: (row) => shownWord(row.auth_type) },
            { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
            { label: t("Name on the node"), cell: (row) => shownText(row.node_account) },
            { label: t("Updated"), cell: (row) => listMoment(row.updated_at) },
            {
              label: t("Edit"),
              cell: (row) => (
                <EditButton
                  operation="/backend/admin/exit-node/account/save/"
                  name={row.account_code}
                  onClick={() => setEdited(row)}
                />
              ),
            },
          ]}
        />
      </Show>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={account()?.account_code ?? t("Add an account")}
      >
        <AccountForm nodeCode={props.nodeCode} account={account()} onDone={() => setEdited(null)} />
      </Dialog>
    </Card>
  );
}

export function EditButton(props: {
  readonly operation: AdminOperation;
  readonly name: string;
  readonly onClick: () => void;
}): JSX.Element {
  return (
    <ActButton
      operation={props.operation}
      variant="quiet"
      aria-label={t("Edit {name}", { name: props.name })}
      onClick={props.onClick}
    >
      {t("Edit")}
    </ActButton>
  );
}

function AccountForm(props: {
  readonly nodeCode: string;
  readonly account: Account | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { account } = props;
  const refresh = useRefresh(...nodePaths);
  const form = createForm({
    initial: {
      account_code: account?.account_code ?? "",
      provider: account?.provider ?? "",
      auth_type: (account?.auth_type ?? "api_key") as string,
      status: (account?.status ?? "testing") as string,
      node_account: account?.node_account ?? "",
    },
    body: ({ account_code: code, node_account: nodeAccount, ...rest }) => ({
      ...rest,
      account_code: code.trim(),
      node_code: props.nodeCode,
      node_account: orNull(nodeAccount),
      ...(account === null ? {} : { version: account.version }),
    }),
    submit: async (_, body) => {
      const saved = await apiPost<typeof exitAccountResponse>("/backend/admin/exit-node/account/save/", body);
      showToast(t("{account_code} saved", { account_code: saved.account.account_code }));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/exit-node/account/save/"
      action={t("Save account")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label={t("Code")}
          hint={t("Lower-case letters, digits, . - and _")}
          readOnly={account !== null}
          spellcheck={false}
          {...form.text("account_code")}
        />
        <TextField label={t("Provider")} spellcheck={false} {...form.text("provider")} />
      </FieldRow>
      <FieldRow>
        <ChoiceField label={t("Login method")} options={exitAuthTypes} {...form.text("auth_type")} />
        <ChoiceField label={t("Status")} options={exitAccountStatuses} {...form.text("status")} />
      </FieldRow>
      <TextField
        label={t("Name on the node")}
        hint={t("The name in the node's own configuration; if empty, the node chooses.")}
        optional={t("optional")}
        spellcheck={false}
        {...form.text("node_account")}
      />
    </AdminForm>
  );
}
