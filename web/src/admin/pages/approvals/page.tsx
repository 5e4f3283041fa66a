import type {
  ActKind,
  approvalDetailAnswer,
  approvalListAnswer,
  decidedApprovalAnswer,
} from "@sluice/contracts/approvals";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { useRefresh } from "../../parts/actions.ts";
import { type Approval, Effects } from "../../parts/approval.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm } from "../../parts/form-parts.tsx";
import { createMe, SuperOnly } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";

const path = "/backend/admin/approval/list/";
const detailPath = "/backend/admin/approval/detail/";

const kindNames: Readonly<Record<ActKind, string>> = {
  "quota.adjust": "Adjust quota",
  "refund.create": "Refund",
  "refund.close": "End a refund by hand",
  "order.resolve": "Decide about an order",
  "admin.create": "Make an admin",
  "admin.save": "Give an admin rights",
  "admin.password_link": "Send a password link",
  "totp.remove": "Remove an authenticator",
  "setting.save": "Change a setting",
  "secret.save": "Save a secret",
  "user.save": "Lower a multiplier",
  "plan.save": "Grant more with a plan",
  "model.save": "Lower prices of a model",
};
const nameOf = ({ kind }: Approval): string => kindNames[kind];

const columns: readonly Column<Approval>[] = [
  { id: "kind", label: "What", cell: (row) => nameOf(row), card: "title" },
  { id: "requested_by_name", label: "Asked for by", cell: (row) => <bdi>{row.requested_by_name}</bdi> },
  { id: "reason", label: "Reason", cell: (row) => <bdi>{row.reason || "–"}</bdi> },
  { id: "status", label: "State", cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "created_at", label: "Asked for at", cell: (row) => shownMoment(row.created_at) },
  { id: "expires_at", label: "Waits until", cell: (row) => shownMoment(row.expires_at) },
  { id: "decided_by_name", label: "Decided by", cell: (row) => <bdi>{row.decided_by_name ?? "–"}</bdi> },
];

/** The largest acts, which one super-admin asks for and another one agrees to. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Approvals");
  return (
    <>
      <PageHead
        title="Approvals"
        text="Amounts above the limit of the settings, and what would get around it, wait until a second super-admin agrees. After three days a request is over. If you are the only super-admin, make another on the server with admin:create."
      />
      <SuperOnly what="Approvals are seen and decided">
        <ApprovalList />
      </SuperOnly>
    </>
  );
}

function ApprovalList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof approvalListAnswer>(path, { signal }),
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
        title: "Nothing waits",
        text: "With the setting admin.second_person_above_usd, larger adjustments, refunds and decisions wait here, and so do new rights, looser limits of admins, lower prices, and credentials of payments and mail.",
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
          { name: "Asked for by", value: <bdi>{props.approval.requested_by_name}</bdi> },
          { name: "Reason", value: <bdi>{props.approval.reason || "–"}</bdi> },
          { name: "Asked for at", value: shownMoment(props.approval.created_at) },
          { name: "Waits until", value: shownMoment(props.approval.expires_at) },
          ...(props.approval.decided_by_name === null
            ? []
            : [
                { name: "Decided by", value: <bdi>{props.approval.decided_by_name}</bdi> },
                { name: "Decided at", value: shownMoment(props.approval.decided_at) },
                { name: "Reason of the decision", value: <bdi>{props.approval.decision_reason}</bdi> },
              ]),
        ]}
      />
      <Show
        when={isPending()}
        fallback={
          <>
            <h3>When it was asked for</h3>
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
      apiGet<typeof approvalDetailAnswer>(detailPath, { query: { approval_id: props.approval.approval_id }, signal }),
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
            <h3>What happens now</h3>
            <Show when={foreseen().problem}>
              {(problem) => <Notice tone="bad">It can't be done at the moment: {problem()}</Notice>}
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
      ...(values.decision === "" ? { decision: "Choose what is to happen." } : {}),
      ...(values.reason.trim().length < 3 ? { reason: "Say why, in three characters or more." } : {}),
    }),
    submit: async (values) => {
      await apiPost<typeof decidedApprovalAnswer>("/backend/admin/approval/decide/", {
        approval_id: approval.approval_id,
        decision: values.decision,
        reason: values.reason.trim(),
      });
      showToast(values.decision === "approve" ? "It is agreed to and done." : "The request is rejected.");
      await refresh();
    },
  });
  return (
    <AdminForm form={form} action="Decide" tone="danger" operation="/backend/admin/approval/decide/">
      <Show when={isOwn()}>
        <Notice tone="info">You asked for this: another super-admin has to agree. You can take it back.</Notice>
      </Show>
      <ChoiceField
        label="Decision"
        options={[
          { value: "", label: "Choose" },
          ...(isOwn() ? [] : [{ value: "approve", label: "Agree: it is done at once" }]),
          { value: "reject", label: isOwn() ? "Take it back" : "Reject" },
        ]}
        {...form.text("decision")}
      />
      <TextArea label="Reason" hint="Stands in the audit log." {...form.text("reason")} />
    </AdminForm>
  );
}
