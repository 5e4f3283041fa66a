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
import { useRefresh } from "../../parts/actions.ts";
import { Effects } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import type { Approval } from "../../parts/outcome-text.ts";
import { createMe, SuperOnly } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";

const path = "/backend/admin/approval/list/";
const detailPath = "/backend/admin/approval/detail/";

const kindNames: Readonly<Record<ActKind, string>> = {
  "quota.adjust": "Adjust balance",
  "refund.create": "Refund",
  "refund.close": "Close a refund by hand",
  "top_up.close": "End a charge without an answer",
  "order.resolve": "Decide on an order",
  "admin.create": "Create an admin",
  "admin.save": "Give an admin rights",
  "admin.password_link": "Send a password link",
  "totp.remove": "Remove an authenticator",
  "setting.save": "Change a setting",
  "secret.save": "Save a secret",
  "sign_in_provider.save": "Let users sign in with a service",
  "registration.save": "Give newcomers more credit",
  "invitation.create": "Make an invitation",
  "user.save": "Lower a multiplier",
  "user.close": "Close an account with a balance",
  "plan.save": "Grant more with a plan",
  "code_batch.create": "Make redemption codes",
  "coupon.create": "Make a coupon",
  "model.save": "Lower model prices",
  "channel.adopt": "Add models of a provider",
  "group.save": "Make a group cheaper",
  "group.assign": "Add users to a cheaper group",
  "group.remove": "Leave users in a cheaper group",
};
const nameOf = ({ kind }: Approval): string => kindNames[kind];

const columns: readonly Column<Approval>[] = [
  { id: "kind", label: "What", cell: (row) => nameOf(row), card: "title" },
  { id: "requested_by_name", label: "Requested by", cell: (row) => <bdi>{row.requested_by_name}</bdi> },
  { id: "reason", label: "Reason", cell: (row) => <bdi>{row.reason || "–"}</bdi> },
  { id: "status", label: "State", cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "created_at", label: "Requested at", cell: (row) => shownMoment(row.created_at) },
  { id: "expires_at", label: "Expires at", cell: (row) => shownMoment(row.expires_at) },
  { id: "decided_by_name", label: "Decided by", cell: (row) => <bdi>{row.decided_by_name ?? "–"}</bdi> },
];

/** The largest acts, which one super-admin requests and another one approves. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Approvals");
  return (
    <>
      <PageHead
        title="Approvals"
        text="Amounts above the limit in the settings, and ways around it, wait for a second super-admin's approval. Requests expire after three days. If you are the only super-admin, create another on the server with admin:create."
      />
      <SuperOnly what="Approvals can be viewed and decided">
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
      label="Approvals"
      columns={columns}
      state={state}
      rows={query.data?.approvals}
      rowId={(row) => String(row.approval_id)}
      isLoading={query.isPending}
      error={query.error}
      onRetry={() => void query.refetch()}
      empty={{
        title: "No requests are waiting",
        text: "With the setting admin.second_person_above_usd, larger adjustments, refunds and decisions wait here. So do new rights, looser limits for admins, lower prices, and credentials for payments and mail.",
      }}
      panel={{
        title: (row) => `${nameOf(row)}, request ${row.approval_id}`,
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
          { name: "State", value: <StateWord state={props.approval.status} /> },
          { name: "Requested by", value: <bdi>{props.approval.requested_by_name}</bdi> },
          { name: "Reason", value: <bdi>{props.approval.reason || "–"}</bdi> },
          { name: "Requested at", value: shownMoment(props.approval.created_at) },
          { name: "Expires at", value: shownMoment(props.approval.expires_at) },
          ...(props.approval.decided_by_name === null
            ? []
            : [
                { name: "Decided by", value: <bdi>{props.approval.decided_by_name}</bdi> },
                { name: "Decided at", value: shownMoment(props.approval.decided_at) },
                { name: "Reason for the decision", value: <bdi>{props.approval.decision_reason}</bdi> },
              ]),
        ]}
      />
      <Show
        when={isPending()}
        fallback={
          <>
            <h3>When requested</h3>
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
            <h3>If approved now</h3>
            <Show when={foreseen().problem}>
              {(problem) => <Notice tone="bad">It can't be done right now: {problem()}</Notice>}
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
      ...(values.decision === "" ? { decision: "Choose what to do." } : {}),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      await apiPost<typeof decidedApprovalResponse>("/backend/admin/approval/decide/", {
        approval_id: approval.approval_id,
        decision: values.decision,
        reason: values.reason.trim(),
      });
      showToast(values.decision === "approve" ? "Approved and done." : "The request was rejected.");
      await refresh();
    },
  });
  return (
    <AdminForm form={form} action="Decide" tone="danger" operation="/backend/admin/approval/decide/">
      <Show when={isOwn()}>
        <Notice tone="info">You requested this: another super-admin has to approve it. You can withdraw it.</Notice>
      </Show>
      <ChoiceField
        label="Decision"
        options={[
          { value: "", label: "Choose" },
          ...(isOwn() ? [] : [{ value: "approve", label: "Approve: it is done at once" }]),
          { value: "reject", label: isOwn() ? "Withdraw it" : "Reject" },
        ]}
        {...form.text("decision")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
