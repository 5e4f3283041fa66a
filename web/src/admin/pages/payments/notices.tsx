import type { gatewayEventList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import type { replayedNotice } from "@sluice/contracts/payments";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Notice } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { gatewayName, OrderLink } from "../../columns/billing-columns.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownMoment, shownText, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { noticeResults } from "../../values.ts";

type NoticeRow = RowOf<typeof gatewayEventList>;

/** What each result means, for those who ask why nothing was credited. */
const meanings: Readonly<Record<NoticeRow["result"], string>> = {
  received: t("It was recorded, but processing did not finish."),
  unconfirmed: t("When asked, the gateway reported a different status for this payment."),
  unknown_order: t("It names an unknown order."),
  settled: t("It settled its order."),
  duplicate: t("This payment was already recorded."),
  review: t("The payment does not match its order. Decide on it at the order."),
  ignored: t("No action needed."),
  flagged: t("Money was refunded or is disputed; the order is marked."),
  applied: t("The state of a subscription was updated; the message contained no payment."),
  wrong_mode: t("A test payment on a live account, or the other way round."),
};

const columns: readonly Column<NoticeRow>[] = [
  { id: "event_id", label: t("Message"), cell: (row) => <code>{row.event_id}</code>, card: "title" },
  { id: "gateway", label: t("Gateway"), cell: (row) => gatewayName(row.gateway, row.account) },
  { id: "kind", label: t("Kind"), cell: (row) => row.kind },
  {
    id: "order_no",
    label: t("Order"),
    cell: (row) => (row.order_no === null ? dash : <OrderLink orderNo={row.order_no} />),
  },
  {
    id: "amount_usd",
    label: t("Amount, USD"),
    cell: (row) => (row.amount_usd === null ? dash : formats.usd(row.amount_usd)),
    align: "end",
  },
  { id: "result", label: t("Result"), cell: (row) => <StateWord state={row.result} />, card: "badge" },
  { id: "tries", label: t("Tries"), cell: (row) => row.tries, align: "end", isHiddenAtFirst: true },
  { id: "received_at", label: t("Received"), cell: (row) => listMoment(row.received_at), isSortable: true },
];

const selection = selectionOf("gateway-events", "/backend/admin/gateway-event/");

/** Gateway messages with a valid signature, their results, and a way to process unfinished ones again. */
export function Notices(): JSX.Element {
  const state = createTableState({ filters: ["order_no", "event_id", "gateway", "result", "is_open"] });
  const list = createListQuery<NoticeRow>({ path: "/backend/admin/gateway-event/", state });
  return (
    <DataTable
      {...list}
      name="admin-notices"
      label={t("Gateway messages")}
      columns={columns}
      state={state}
      rowId={(row) => String(row.gateway_event_id)}
      selection={selection}
      filters={[
        { id: "order_no", label: t("Order"), isSearch: true },
        { id: "event_id", label: t("Message"), isSearch: true },
        { id: "gateway", label: t("Gateway"), options: optionsOf(["walletpay", "cardpay"]) },
        { id: "result", label: t("Result"), options: optionsOf(noticeResults) },
        {
          id: "is_open",
          label: t("Processed"),
          options: [
            { value: "false", label: t("yes") },
            { value: "true", label: t("no, can be retried") },
          ],
        },
      ]}
      empty={{
        title: t("No gateway messages yet"),
        text: t("Notifications and webhooks with a valid signature are stored here; others appear only in the log."),
      }}
      panel={{ title: (row) => row.event_id, content: (row) => <NoticeFacts row={row} /> }}
    />
  );
}

function NoticeFacts(props: { readonly row: NoticeRow }): JSX.Element {
  const { row } = props;
  const lists = ["gateway-event", "order", "payment"].map((name) => `/backend/admin/${name}/`);
  const action = createAction(...lists);
  const takeAgain = () =>
    action.run(async () => {
      const answer = await apiPost<typeof replayedNotice>("/backend/admin/gateway-event/replay/", {
        gateway_event_id: row.gateway_event_id,
      });
      return t("Processed again: {result}.", { result: shownWord(answer.result) });
    });
  return (
    <>
      <Notice tone={row.is_open ? "warn" : "info"}>
        <span>{meanings[row.result]}</span>
        <Show when={row.is_open}>
          <ActButton
            operation="/backend/admin/gateway-event/replay/"
            isBusy={action.isBusy()}
            onClick={() => void takeAgain()}
          >
            {t("Process again")}
          </ActButton>
        </Show>
      </Notice>
      <Facts
        facts={[
          { name: t("Message"), value: <CopyText text={row.event_id} label={t("Copy the message ID")} /> },
          {
            name: t("Gateway"),
            value: gatewayName(row.gateway, row.account),
          },
          { name: t("Kind"), value: row.kind },
          { name: t("Interpreted as"), value: row.meaning === null ? t("not stored") : shownWord(row.meaning) },
          { name: t("Order"), value: row.order_no === null ? dash : <OrderLink orderNo={row.order_no} /> },
          { name: t("Order is"), value: row.order_status === null ? dash : <StateWord state={row.order_status} /> },
          { name: t("Order to review"), value: shownText(row.review_reason) },
          { name: t("Transaction"), value: <code>{shownText(row.transaction_id)}</code> },
          {
            name: t("Amount"),
            value: row.amount_usd === null ? dash : `${formats.usd(row.amount_usd)} ${shownText(row.currency)}`,
          },
          { name: t("Result"), value: <StateWord state={row.result} /> },
          { name: t("Last error"), value: row.last_error === null ? t("none") : <code>{row.last_error}</code> },
          { name: t("Received"), value: shownMoment(row.received_at) },
          {
            name: t("Last processed"),
            value: t("{tried_at}, {tries} times", { tried_at: shownMoment(row.tried_at), tries: row.tries }),
          },
        ]}
      />
    </>
  );
}
