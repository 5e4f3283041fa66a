import type { RowOf } from "@sluice/contracts/lists";
import type { topUpList } from "@sluice/contracts/top-ups";
import { createSignal, type JSX, Show } from "solid-js";
import { Dialog } from "../../../kit/dialog.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { topUpStatuses } from "../../values.ts";
import { CloseForm, topUpsPath } from "./close-form.tsx";

type TopUp = RowOf<typeof topUpList>;

const openOrderOf = ({ open_order_no: orderNo }: TopUp): JSX.Element =>
  orderNo === null ? "–" : <PageLink href={`/admin/orders/?order_no=${orderNo}`}>{orderNo}</PageLink>;

const columnsWith = (close: (orderNo: string) => void): readonly Column<TopUp>[] => [
  { id: "email", label: t("User"), cell: (row) => <UserLink userId={row.user_id} email={row.email} />, card: "title" },
  {
    id: "organisation",
    label: t("Organisation"),
    cell: (row) => <bdi>{shownText(row.organisation)}</bdi>,
    isHiddenAtFirst: true,
  },
  { id: "price_usd", label: t("Each, USD"), cell: (row) => formats.usd(row.price_usd), align: "end" },
  { id: "threshold", label: t("Below"), cell: (row) => formats.quota(row.threshold_quota), align: "end" },
  {
    id: "month_max_usd",
    label: t("Maximum per month, USD"),
    cell: (row) => formats.usd(row.month_max_usd),
    align: "end",
  },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "stop_reason", label: t("Stopped because"), cell: (row) => shownText(row.stop_reason) },
  { id: "attempts", label: t("Charges"), cell: (row) => shownCount(row.attempts), align: "end" },
  { id: "open_order_no", label: t("Open charge"), cell: openOrderOf },
  {
    id: "unclear_since",
    label: t("No response since"),
    cell: (row) => (
      <Show when={row.unclear_since !== null && row.open_order_no} fallback="–">
        {(orderNo) => (
          <>
            {listMoment(row.unclear_since)}{" "}
            <ActButton
              operation="/backend/admin/top-up/close/"
              onClick={() => close(orderNo())}
              aria-label={t("End the charge {orderNo}", { orderNo: orderNo() })}
            >
              {t("End it")}
            </ActButton>
          </>
        )}
      </Show>
    ),
  },
  {
    id: "created_at",
    label: t("Agreed"),
    cell: (row) => listMoment(row.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const selection = selectionOf("top-ups", topUpsPath);

/** What customers agreed to be charged when their balance is low. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Automatic top-ups"));
  const state = createTableState({ filters: ["status"] });
  const [closed, setClosed] = createSignal<string | null>(null);
  const columns = columnsWith(setClosed);
  const list = createListQuery<TopUp>({ path: topUpsPath, state });
  return (
    <>
      <PageHead
        title={t("Automatic top-ups")}
        text={t(
          "The card gateway charges a saved method when a balance is low. It is switched off after two refusals, and when the price is no longer the one agreed to. A charge that the gateway has not answered for 20 hours has to be checked there by hand.",
        )}
      />
      <DataTable
        {...list}
        name="admin-top-ups"
        label={t("Automatic top-ups")}
        columns={columns}
        state={state}
        rowId={(row) => row.top_up_no}
        selection={selection}
        filters={[{ id: "status", label: t("Status"), options: optionsOf(topUpStatuses) }]}
        empty={{ title: t("Nobody uses automatic top-ups"), text: t("Customers set them up under Billing.") }}
      />
      <Dialog isOpen={closed() !== null} onClose={() => setClosed(null)} title={t("End an unanswered charge")}>
        <Show when={closed()} keyed>
          {(orderNo) => <CloseForm orderNo={orderNo} onDone={() => setClosed(null)} />}
        </Show>
      </Dialog>
    </>
  );
}
