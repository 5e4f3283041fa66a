import type { gatewayEventList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import type { replayedNotice } from "@sluice/contracts/payments";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Notice } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { OrderLink } from "../../columns/billing-columns.tsx";
import { formats } from "../../formats.ts";
import { createAction } from "../../parts/actions.ts";
import { optionsOf } from "../../parts/choice-field.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { dash, shownMoment, shownText, shownWord } from "../../shown.ts";
import { noticeResults } from "../../values.ts";

type NoticeRow = RowOf<typeof gatewayEventList>;

/** What each end means, for whoever asks why nothing was credited. */
const meanings: Readonly<Record<NoticeRow["result"], string>> = {
  received: "It was written down, and the try to deal with it did not come to its end.",
  unconfirmed: "The gateway, when it was asked, said something else of this payment.",
  unknown_order: "It names an order that is not here.",
  settled: "Its order was paid by it.",
  duplicate: "This payment had been written down before.",
  review: "The payment is not what its order asked for. It is decided at the order.",
  ignored: "It says nothing that anything is done about.",
  flagged: "Money went back or is disputed; its order is marked.",
  wrong_mode: "Play money at an account for real money, or the other way round.",
};

const columns: readonly Column<NoticeRow>[] = [
  { id: "event_id", label: "Message", cell: (row) => <code>{row.event_id}</code>, card: "title" },
  { id: "gateway", label: "Gateway", cell: (row) => `${row.gateway}, ${row.account}` },
  { id: "kind", label: "Kind", cell: (row) => row.kind },
  {
    id: "order_no",
    label: "Order",
    cell: (row) => (row.order_no === null ? dash : <OrderLink orderNo={row.order_no} />),
  },
  {
    id: "amount_usd",
    label: "Amount, USD",
    cell: (row) => (row.amount_usd === null ? dash : formats.usd(row.amount_usd)),
    align: "end",
  },
  { id: "result", label: "Result", cell: (row) => <StateWord state={row.result} />, card: "badge" },
  { id: "tries", label: "Tries", cell: (row) => row.tries, align: "end", isHiddenAtFirst: true },
  { id: "received_at", label: "Came in", cell: (row) => shownMoment(row.received_at), isSortable: true },
];

/** What gateways told us under a good signature, what came of it, and a way to take again what was not dealt with. */
export function Notices(): JSX.Element {
  const state = createTableState({ filters: ["order_no", "event_id", "gateway", "result", "is_open"] });
  const list = createListQuery<NoticeRow>({ path: "/backend/admin/gateway-event/", state });
  return (
    <DataTable
      {...list}
      name="admin-notices"
      label="Messages of gateways"
      columns={columns}
      state={state}
      rowId={(row) => String(row.gateway_event_id)}
      filters={[
        { id: "order_no", label: "Order", isSearch: true },
        { id: "event_id", label: "Message", isSearch: true },
        { id: "gateway", label: "Gateway", options: optionsOf(["walletpay", "cardpay"]) },
        { id: "result", label: "Result", options: optionsOf(noticeResults) },
        {
          id: "is_open",
          label: "Dealt with",
          options: [
            { value: "false", label: "yes" },
            { value: "true", label: "no, can be taken again" },
          ],
        },
      ]}
      empty={{
        title: "No gateway has said anything yet",
        text: "Notifications and webhooks with a good signature are kept here; others are only in the log.",
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
      return `Taken again: ${shownWord(answer.result)}.`;
    });
  return (
    <>
      <Notice tone={row.is_open ? "warn" : "info"}>
        <span>{meanings[row.result]}</span>
        <Show when={row.is_open}>
          <Button isBusy={action.isBusy()} onClick={() => void takeAgain()}>
            Take it again
          </Button>
        </Show>
      </Notice>
      <Facts
        facts={[
          { name: "Message", value: <CopyText text={row.event_id} label="Copy the id of the message" /> },
          { name: "Gateway", value: `${row.gateway}, account ${row.account}` },
          { name: "Kind", value: row.kind },
          { name: "Understood as", value: row.meaning === null ? "was not kept" : shownWord(row.meaning) },
          { name: "Order", value: row.order_no === null ? dash : <OrderLink orderNo={row.order_no} /> },
          { name: "Order is", value: row.order_status === null ? dash : <StateWord state={row.order_status} /> },
          { name: "Order to review", value: shownText(row.review_reason) },
          { name: "Transaction", value: <code>{shownText(row.transaction_id)}</code> },
          {
            name: "Amount",
            value: row.amount_usd === null ? dash : `${formats.usd(row.amount_usd)} ${shownText(row.currency)}`,
          },
          { name: "Result", value: <StateWord state={row.result} /> },
          { name: "Last error", value: row.last_error === null ? "none" : <code>{row.last_error}</code> },
          { name: "Came in", value: shownMoment(row.received_at) },
          { name: "Last taken", value: `${shownMoment(row.tried_at)}, ${row.tries} in all` },
        ]}
      />
    </>
  );
}
