import type {
  ActKind,
  approvalDetailResponse,
  approvalListResponse,
  decidedApprovalResponse,
} from "@sluice/contracts/approvals";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { Effects } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import type { Approval } from "../../parts/outcome-text.ts";
import { createMe, SuperOnly } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";

const path = "/backend/admin/approval/list/";
const detailPath = "/backend/admin/approval/detail/";

const kindNames: Readonly<Record<ActKind, string>> = {
  "quota.adjust": t("Adjust balance"),
  "refund.create": t("Refund"),
  "refund.close": t("Close a refund by hand"),
  "top_up.close": t("End an unanswered charge"),
  "order.resolve": t("Decide on an order"),
  "admin.create": t("Create an admin"),
  "admin.save": t("Give an admin rights"),
  "admin.password_link": t("Send a password link"),
  "totp.remove": t("Remove an authenticator"),
  "setting.save": t("Change a setting"),
  "secret.save": t("Save a secret"),
  "sign_in_provider.save": t("Let users sign in with a service"),
  "registration.save": t("Give new users more credit"),
  "invitation.create": t("Create an invitation"),
  "user.save": t("Lower a multiplier"),
  "user.close": t("Close an account with a balance"),
  "plan.save": t("Grant more with a plan"),
  "code_batch.create": t("Create redemption codes"),
  "coupon.create": t("Create a coupon"),
  "model.save": t("Lower model prices"),
  "channel.adopt": t("Add models of a provider"),
  "group.save": t("Make a group cheaper"),
  "group.assign": t("Add users to a cheaper group"),
  "group.remove": t("Leave users in a cheaper group"),
};
const nameOf = ({ kind }: Approval): string => kindNames[kind];

const columns: readonly Column<Approval>[] = [
  { id: "kind", label: t("What"), cell: (row) => nameOf(row), card: "title" },
  { id: "requested_by_name", label: t("Requested by"), cell: (row) => <bdi>{row.requested_by_name}</bdi> },
  { id: "reason", label: t("Reason"), cell: (row) => <bdi>{row.reason || "–"}</bdi> },
  { id: "status", label: t("State"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "created_at", label: t("Requested at"), cell: (row) => listMoment(row.created_at) },
  { id: "expires_at", label: t("Expires at"), cell: (row) => listMoment(row.expires_at) },
  { id: "decided_by_name", label: t("Decided by"), cell: (row) => <bdi>{row.decided_by_name ?? "–"}</bdi> },
];

/** The largest acts, which one super-admin requests and another one approves. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Approvals"));
  return (
    <>
      <PageHead
        title={t("Approvals")}
        text={t(
          "Amounts above the limit in the settings, and ways around it, wait for a second super-admin's approval. Requests expire after three days. If you are the only super-admin, create another on the server with admin:create.",
        )}
      />
      <SuperOnly what={t("Approvals can be viewed and decided")}>
        <ApprovalList />
      </SuperOnly>
    </>
  );
}

function ApprovalList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof approvalListResponse>(path, { signal }),
  }));
  return (
    <DataTable
      name="admin-approvals"
      label={t("Approvals")}
      columns={columns}
      state={state}
      rows={query.data?.approvals}
      rowId={(row) => String(row.approval_id)}
      isLoading={query.isPending}
      error={query.error}
      onRetry={() => void query.refetch()}
      empty={{
        title: t("No requests are waiting"),
        text: t(
          "With the setting admin.second_person_above_usd, larger adjustments, refunds and decisions wait here. So do new rights, looser limits for admins, lower prices, and credentials for payments and mail.",
        ),
      }}
      panel={{
        title: (row) => t("{row}, request {approval_id}", { row: nameOf(row), approval_id: row.approval_id }),
        content: (row) => <ApprovalPanel approval={row} />,
      }}
    />
  );
}

function ApprovalPanel(props: { readonly approval: Approval }): JSX.Element {
  const isPending = (): boolean => props.approval.status === "pending";
  return (
    <>
      <Facts
        facts={[
          { name: t("State"), value: <StateWord state={props.approval.status} /> },
          { name: t("Requested by"), value: <bdi>{props.approval.requested_by_name}</bdi> },
          { name: t("Reason"), value: <bdi>{props.approval.reason || "–"}</bdi> },
          { name: t("Requested at"), value: shownMoment(props.approval.created_at) },
          { name: t("Expires at"), value: shownMoment(props.approval.expires_at) },
          ...(props.approval.decided_by_name === null
            ? []
            : [
                { name: t("Decided by"), value: <bdi>{props.approval.decided_by_name}</bdi> },
                { name: t("Decided at"), value: shownMoment(props.approval.decided_at) },
                { name: t("Reason for the decision"), value: <bdi>{props.approval.decision_reason}</bdi> },
              ]),
        ]}
      />
      <Show
        when={isPending()}
        fallback={
          <>
            <h3>{t("When requested")}</h3>
            <Effects effects={props.approval.effects} />
          </>
        }
      >
        <Pending approval={props.approval} />
      </Show>
    </>
  );
}

/** What it would do now, and the decision. */
function Pending(props: { readonly approval: Approval }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [detailPath, props.approval.approval_id],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof approvalDetailResponse>(detailPath, { query: { approval_id: props.approval.approval_id }, signal }),
    staleTime: 0,
  }));
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.foreseen}>
        {(foreseen) => (
          <>
            <h3>{t("If approved now")}</h3>
            <Show when={foreseen().problem}>
              {(problem) => (
                <Notice tone="bad">{rich("It can't be done right now: {problem}", { problem: problem() })}</Notice>
              )}
            </Show>
            <Effects effects={foreseen().effects} />
            <DecisionForm approval={props.approval} />
          </>
        )}
      </Match>
    </Switch>
  );
}

function DecisionForm(props: { readonly approval: Approval }): JSX.Element {
  const { approval } = props;
  const me = createMe();
  const refresh = useRefresh(
    path,
    detailPath,
    "/backend/admin/user/",
    "/backend/admin/order/",
    "/backend/admin/refund/",
    "/backend/admin/admin/",
    "/backend/admin/settings/list/",
    "/backend/admin/secret/list/",
    "/backend/admin/plan/",
    "/backend/admin/model/",
  );
  const isOwn = (): boolean => me.admin()?.username === approval.requested_by_name;
  const form = createForm({
    initial: { decision: "", reason: "" },
    check: (values) => ({
      ...(values.decision === "" ? { decision: t("Choose what to do.") } : {}),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      await apiPost<typeof decidedApprovalResponse>("/backend/admin/approval/decide/", {
        approval_id: approval.approval_id,
        decision: values.decision,
        reason: values.reason.trim(),
      });
      showToast(values.decision === "approve" ? t("Approved and done.") : t("The request was rejected."));
      await refresh();
    },
  });
  return (
    <AdminForm form={form} action={t("Decide")} tone="danger" operation="/backend/admin/approval/decide/">
      <Show when={isOwn()}>
        <Notice tone="info">
          {t("You requested this: another super-admin has to approve it. You can withdraw it.")}
        </Notice>
      </Show>
      <ChoiceField
        label={t("Decision")}
        options={[
          { value: "", label: t("Choose") },
          ...(isOwn() ? [] : [{ value: "approve", label: t("Approve: it takes effect immediately") }]),
          { value: "reject", label: isOwn() ? t("Withdraw it") : t("Reject") },
        ]}
        {...form.text("decision")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
