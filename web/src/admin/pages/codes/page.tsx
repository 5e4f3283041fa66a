import type { batchCodesResponse, revokedBatchResponse } from "@sluice/contracts/codes";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction, useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { nameInRow } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { batchStates } from "../../values.ts";
import { type Batch, batchesPath, saveCodes } from "./batch.ts";
import { BatchForm } from "./batch-form.tsx";

const grantOf = (batch: Batch): string =>
  batch.plan_code === null
    ? formats.quota(batch.quota)
    : t("{quota}, plan {plan_code}", { quota: formats.quota(batch.quota), plan_code: batch.plan_code });
const usedOf = (batch: Batch): string =>
  t("{redeemed} of {count}", { redeemed: shownCount(batch.redeemed), count: formats.number(batch.count) });

const columns: readonly Column<Batch>[] = [
  { id: "name", label: t("Name"), cell: (batch) => <bdi>{batch.name}</bdi>, card: "title" },
  { id: "grant", label: t("Each grants"), cell: grantOf },
  { id: "redeemed", label: t("Redeemed"), cell: usedOf, align: "end" },
  { id: "state", label: t("State"), cell: (batch) => <StateWord state={batch.state} />, card: "badge" },
  { id: "expires_at", label: t("Valid until"), cell: (batch) => listMoment(batch.expires_at) },
  { id: "note", label: t("Note"), cell: (batch) => <bdi>{shownText(batch.note)}</bdi> },
  { id: "created_by", label: t("Created by"), cell: (batch) => <bdi>{batch.created_by}</bdi>, isHiddenAtFirst: true },
  { id: "created_at", label: t("Created"), cell: (batch) => listMoment(batch.created_at), isSortable: true },
];

const selection = selectionOf("code-batches", batchesPath);

/** Batches of redemption codes: made, exported for shops, and revoked. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Redemption codes"));
  const state = createTableState({ filters: ["state"] });
  const list = createListQuery<Batch>({ path: batchesPath, state });
  const [isMaking, setIsMaking] = createSignal(false);
  const [revoked, setRevoked] = createSignal<Batch | null>(null);
  return (
    <>
      <PageHead
        title={t("Redemption codes")}
        text={t(
          "Each code adds balance or a plan to the account that redeems it, once. Sell them in a shop, or give them away.",
        )}
      />
      <DataTable
        {...list}
        name="admin-codes"
        label={t("Batches")}
        columns={columns}
        state={state}
        rowId={(batch) => String(batch.batch_id)}
        selection={selection}
        rowActions={(batch) => (
          <Show when={batch.state === "usable"}>
            <ActButton
              operation="/backend/admin/code-batch/revoke/"
              aria-label={nameInRow(t("Revoke"), batch.name)}
              onClick={() => setRevoked(batch)}
            >
              {t("Revoke")}
            </ActButton>
          </Show>
        )}
        filters={[{ id: "state", label: t("State"), options: optionsOf(batchStates) }]}
        actions={
          <IfAllowed operation="/backend/admin/code-batch/create/">
            <Button variant="primary" onClick={() => setIsMaking(true)}>
              <Icon name="plus" />
              {t("New batch")}
            </Button>
          </IfAllowed>
        }
        empty={{ title: t("No codes yet"), text: t("Create a batch, and export its codes.") }}
        panel={{
          title: (batch) => batch.name,
          content: (batch) => <BatchFacts batch={batch} onRevoke={() => setRevoked(batch)} />,
        }}
      />
      <Dialog isOpen={isMaking()} onClose={() => setIsMaking(false)} title={t("New batch of codes")} size="wide">
        <Show when={isMaking()}>
          <BatchForm onDone={() => setIsMaking(false)} />
        </Show>
      </Dialog>
      <Dialog isOpen={revoked() !== null} onClose={() => setRevoked(null)} title={t("Revoke unused codes")}>
        <Show when={revoked()} keyed>
          {(batch) => <RevokeForm batch={batch} onDone={() => setRevoked(null)} />}
        </Show>
      </Dialog>
    </>
  );
}

function BatchFacts(props: { readonly batch: Batch; readonly onRevoke: () => void }): JSX.Element {
  const action = createAction("/backend/admin/audit/");
  const save = async (): Promise<void> => {
    await action.run(async () => {
      const { batch_id: id, codes } = await apiPost<typeof batchCodesResponse>(`${batchesPath}codes/`, {
        batch_id: props.batch.batch_id,
      });
      saveCodes(String(id), codes);
      return t("{codes} codes were exported.", { codes: formats.number(codes.length) });
    });
  };
  return (
    <>
      <div class="button-row">
        <ActButton
          operation="/backend/admin/code-batch/codes/"
          variant="primary"
          isBusy={action.isBusy()}
          onClick={() => void save()}
        >
          <Icon name="download" />
          {t("Export codes")}
        </ActButton>
        <PageLink
          class="button"
          href={`/admin/payments/?gateway=code&account=${encodeURIComponent(`batch ${props.batch.batch_id}`)}`}
        >
          {t("Redemptions")}
        </PageLink>
        <Show when={props.batch.state !== "revoked"}>
          <ActButton operation="/backend/admin/code-batch/revoke/" variant="danger" onClick={() => props.onRevoke()}>
            {t("Revoke")}
          </ActButton>
        </Show>
      </div>
      <Facts
        facts={[
          { name: t("State"), value: <StateWord state={props.batch.state} /> },
          { name: t("Each grants"), value: grantOf(props.batch) },
          { name: t("Redeemed"), value: usedOf(props.batch) },
          { name: t("Per user"), value: props.batch.is_once_per_user ? t("one") : t("any number") },
          { name: t("Group"), value: props.batch.group_name ?? t("none") },
          { name: t("Valid until"), value: shownMoment(props.batch.expires_at) },
          { name: t("Revoked"), value: shownMoment(props.batch.revoked_at) },
          { name: t("Note"), value: <bdi>{shownText(props.batch.note)}</bdi> },
          { name: t("Created by"), value: <bdi>{props.batch.created_by}</bdi> },
          { name: t("Created"), value: shownMoment(props.batch.created_at) },
        ]}
      />
    </>
  );
}

function RevokeForm(props: { readonly batch: Batch; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(batchesPath);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    body: ({ reason }) => ({ batch_id: props.batch.batch_id, reason }),
    submit: async (_, body) => {
      await apiPost<typeof revokedBatchResponse>(`${batchesPath}revoke/`, body);
      await refresh();
      showToast(t("The unused codes were revoked."));
      props.onDone();
    },
  });
  const unused = (): bigint => BigInt(props.batch.count) - BigInt(props.batch.redeemed);
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/code-batch/revoke/"
      action={t("Revoke")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        {rich(
          "{unused} unused codes of {name} can no longer be redeemed. What others have added stays. This can't be undone.",
          { unused: shownCount(unused().toString()), name: props.batch.name },
        )}
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
