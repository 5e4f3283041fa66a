import type { RowOf } from "@sluice/contracts/lists";
import type { referralList } from "@sluice/contracts/referrals";
import type { JSX } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";
import { referralStates } from "../../values.ts";

type Referral = RowOf<typeof referralList>;

const refusals: Readonly<Record<NonNullable<Referral["refusal"]>, string>> = {
  address: t("the address has another account"),
  device: t("the browser has another account"),
  network: t("the network is the inviter's, or was used too often"),
  month: t("the inviter had enough rewards in that month"),
  closed: t("the invited person has closed the account"),
};

const inviterOf = (row: Referral): JSX.Element => <UserLink userId={row.inviter_id} email={row.inviter_email} />;
const invitedOf = (row: Referral): JSX.Element => <UserLink userId={row.invited_id} email={row.invited_email} />;

const columns: readonly Column<Referral>[] = [
  { id: "invited", label: t("Invited"), cell: invitedOf, card: "title" },
  { id: "inviter", label: t("By"), cell: inviterOf },
  { id: "state", label: t("State"), cell: (row) => <StateWord state={row.state} />, card: "badge" },
  { id: "reward", label: t("Inviter gets"), cell: (row) => formats.quota(row.inviter_quota), align: "end" },
  { id: "created_at", label: t("Registered"), cell: (row) => listMoment(row.created_at), isSortable: true },
  { id: "decided_at", label: t("Decided"), cell: (row) => listMoment(row.decided_at) },
];

const path = "/backend/admin/referral/";
const selection = selectionOf("referrals", path);

/** People who were invited by users, and what was given for that. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Referrals"));
  const state = createTableState({ filters: ["state", "inviter_id"] });
  const list = createListQuery<Referral>({ path, state });
  return (
    <>
      <PageHead
        title={t("Referrals")}
        text={t(
          "People who registered with a user's link. Referrals, their rewards and their limits are set in the settings.",
        )}
      />
      <DataTable
        {...list}
        name="admin-referrals"
        label={t("Referrals")}
        columns={columns}
        state={state}
        rowId={(row) => String(row.referral_id)}
        selection={selection}
        filters={[
          { id: "state", label: t("State"), options: optionsOf(referralStates) },
          { id: "inviter_id", label: t("Inviter's user ID"), isSearch: true },
        ]}
        empty={{
          title: t("Nobody was invited yet"),
          text: t("While “Reward invitations” is on in the settings, users find their link under Billing."),
        }}
        panel={{ title: (row) => row.invited_email, content: (row) => <ReferralFacts row={row} /> }}
      />
    </>
  );
}

function ReferralFacts(props: { readonly row: Referral }): JSX.Element {
  const orderNo = (): string | null => props.row.order_no;
  return (
    <Facts
      facts={[
        { name: t("State"), value: <StateWord state={props.row.state} /> },
        { name: t("Invited"), value: invitedOf(props.row) },
        { name: t("By"), value: inviterOf(props.row) },
        { name: t("Inviter gets"), value: formats.quota(props.row.inviter_quota) },
        { name: t("Invited person gets"), value: formats.quota(props.row.invited_quota) },
        { name: t("Payment has to last"), value: t("{wait_days} days", { wait_days: props.row.wait_days }) },
        {
          name: t("Payment"),
          value:
            orderNo() === null ? "–" : <PageLink href={`/admin/orders/?order_no=${orderNo()}`}>{orderNo()}</PageLink>,
        },
        { name: t("Refused because"), value: props.row.refusal === null ? "–" : refusals[props.row.refusal] },
        { name: t("Registered"), value: shownMoment(props.row.created_at) },
        { name: t("Decided"), value: shownMoment(props.row.decided_at) },
        { name: t("Taken back"), value: shownMoment(props.row.taken_back_at) },
      ]}
    />
  );
}
