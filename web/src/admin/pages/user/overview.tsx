import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { EmptyState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { languageName } from "../../language-name.ts";
import { createAction } from "../../parts/actions.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { known, rich, t } from "../../translate.ts";
import { LimitsCard } from "../limits/limits-card.tsx";
import { AccountGroups } from "./account-groups.tsx";
import { Balance } from "./balance.tsx";
import { ClosingButton } from "./closing.tsx";
import { type UserDetail, userDetailPath } from "./detail.ts";
import { SuspendButton } from "./suspend-button.tsx";
import { TotpRemoval } from "./totp-removal.tsx";
import { UserOrganisations } from "./user-organisations.tsx";

const UserForm = lazy(async () => ({ default: (await import("./user-form.tsx")).UserForm }));

/** Balance, spending, account, and the possible actions. */
export function Overview(props: { readonly detail: UserDetail }): JSX.Element {
  const [isEditing, setIsEditing] = createSignal(false);
  return (
    <div class="section-stack">
      <Actions detail={props.detail} onEdit={() => setIsEditing(true)} />
      <Show when={props.detail.user.verification_email_error}>
        {(error) => <Notice tone="bad">{rich("The verification e-mail failed: {error}", { error: error() })}</Notice>}
      </Show>
      <Balance of={props.detail} since={t("since registration")} />
      <Show when={props.detail.earlier_usage}>
        {(earlier) => (
          <p class="muted">
            {rich("Before the move, from {from_day} to {to_day}: {calls} calls for {quota}", {
              from_day: earlier().from_day,
              to_day: earlier().to_day,
              calls: formats.number(Number(earlier().calls)),
              quota: formats.quota(earlier().quota),
            })}
          </p>
        )}
      </Show>
      <AccountGroups groups={props.detail.groups} member={{ kind: "user", id: String(props.detail.user.user_id) }} />
      <UserOrganisations userId={String(props.detail.user.user_id)} />
      <LimitsCard
        of={{ user_id: String(props.detail.user.user_id) }}
        edited={{ scope: "user", user_id: String(props.detail.user.user_id) }}
      />
      <div class="card-grid">
        <Account detail={props.detail} />
        <Plans detail={props.detail} />
        <Passkeys detail={props.detail} />
        <SignIns detail={props.detail} />
      </div>
      <Dialog isOpen={isEditing()} onClose={() => setIsEditing(false)} title={t("Edit user")}>
        <Suspense fallback={<LoadingPart />}>
          <UserForm user={props.detail.user} onDone={() => setIsEditing(false)} />
        </Suspense>
      </Dialog>
    </div>
  );
}

function Actions(props: { readonly detail: UserDetail; readonly onEdit: () => void }): JSX.Element {
  const action = createAction(userDetailPath, "/backend/admin/user/", "/backend/admin/mail/", "/backend/admin/audit/");
  const [isEnding, setIsEnding] = createSignal(false);
  const user = () => props.detail.user;
  const revoke = async (): Promise<string> => {
    await apiPost("/backend/admin/user/sessions/revoke/", { user_id: user().user_id });
    return t("All sessions of the user have ended.");
  };
  const resend = async (): Promise<string> => {
    await apiPost("/backend/admin/user/resend-verification/", { user_id: user().user_id });
    return t("The e-mail with a new link is queued.");
  };
  return (
    <div class="button-row">
      <IfAllowed operation="/backend/admin/user/save/" field="display_name">
        <Button variant="primary" onClick={() => props.onEdit()}>
          {t("Edit user")}
        </Button>
      </IfAllowed>
      <IfAllowed operation="/backend/admin/manual-adjust/">
        <PageLink class="button" href={`/admin/manual-adjust/?gateway_user_id=${user().gateway_user_id}`}>
          {t("Adjust balance")}
        </PageLink>
      </IfAllowed>
      <IfAllowed operation="/backend/admin/user/sessions/revoke/">
        <Button onClick={() => setIsEnding(true)}>{t("End sessions")}</Button>
      </IfAllowed>
      <IfAllowed operation="/backend/admin/totp/remove/">
        <TotpRemoval user={user()} />
      </IfAllowed>
      <IfAllowed operation="/backend/admin/user/closing/begin/">
        <ClosingButton user={user()} />
      </IfAllowed>
      <Show when={user().status === "email_pending"}>
        <IfAllowed operation="/backend/admin/user/resend-verification/">
          <Button isBusy={action.isBusy()} onClick={() => void action.run(resend)}>
            {t("Resend verification")}
          </Button>
        </IfAllowed>
      </Show>
      <SuspendButton user={user()} />
      <ConfirmDialog
        isOpen={isEnding()}
        onClose={() => setIsEnding(false)}
        title={t("End all sessions of this user")}
        action={t("End sessions")}
        isBusy={action.isBusy()}
        onConfirm={() => void action.run(revoke).then(() => setIsEnding(false))}
      >
        {t("The user has to log in again everywhere. API keys keep working.")}
      </ConfirmDialog>
    </div>
  );
}

function Account(props: { readonly detail: UserDetail }): JSX.Element {
  const user = () => props.detail.user;
  return (
    <Card title={t("Account")}>
      <Facts
        facts={[
          { name: t("Status"), value: <StateWord state={user().status} /> },
          { name: t("Gateway status"), value: <StateWord state={user().gateway_status} /> },
          { name: t("Name"), value: shownText(user().display_name) },
          { name: t("Type"), value: known(user().user_type) },
          { name: t("Multiplier"), value: user().rate_multiplier },
          { name: t("Group"), value: user().group_name },
          { name: t("Language"), value: languageName(user().locale) },
          { name: t("Authenticator"), value: user().has_totp ? t("on") : t("off") },
          { name: t("Verified"), value: shownMoment(user().email_verified_at, t("not yet")) },
          {
            name: user().verification_email_error === null ? t("Verification sent") : t("Verification tried"),
            value: shownMoment(user().verification_email_sent_at, t("never")),
          },
          { name: t("Last seen"), value: shownMoment(user().last_seen_at, t("never")) },
          { name: t("Last call"), value: shownMoment(user().last_call_at, t("never")) },
          { name: t("Registered"), value: shownMoment(user().created_at) },
          { name: t("Updated"), value: shownMoment(user().updated_at) },
        ]}
      />
    </Card>
  );
}

function Plans(props: { readonly detail: UserDetail }): JSX.Element {
  return (
    <Card title={t("Monthly plans")}>
      <Show
        when={props.detail.subscriptions.length > 0}
        fallback={<EmptyState title={t("No monthly plan")}>{t("This user pays from the balance.")}</EmptyState>}
      >
        <SimpleTable
          label={t("Monthly plans")}
          rows={props.detail.subscriptions}
          columns={[
            { label: t("Plan"), cell: (row) => <bdi>{`${row.plan_name} (${row.plan_code})`}</bdi> },
            { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
            { label: t("Until"), cell: (row) => listMoment(row.period_end) },
            { label: t("Left, USD"), cell: (row) => formats.quota(row.quota_left), align: "end" },
            { label: t("Cancelled"), cell: (row) => (row.is_cancelled_at_end ? t("yes") : t("no")) },
          ]}
        />
      </Show>
    </Card>
  );
}

/** The passkeys with which the user logs in; only the user can add or remove one. */
function Passkeys(props: { readonly detail: UserDetail }): JSX.Element {
  return (
    <Show when={props.detail.passkeys.length > 0}>
      <Card title={t("Passkeys")}>
        <SimpleTable
          label={t("Passkeys")}
          rows={props.detail.passkeys}
          columns={[
            { label: t("Name"), cell: (row) => <bdi>{row.name}</bdi> },
            { label: t("Synced"), cell: (row) => (row.is_synced ? t("yes") : t("no")) },
            { label: t("Added"), cell: (row) => listMoment(row.created_at) },
            { label: t("Last used"), cell: (row) => listMoment(row.last_used_at) },
          ]}
        />
      </Card>
    </Show>
  );
}

/** The accounts at other services with which the user logs in. */
function SignIns(props: { readonly detail: UserDetail }): JSX.Element {
  return (
    <Show when={props.detail.sign_ins.length > 0}>
      <Card title={t("Linked sign-ins")}>
        <SimpleTable
          label={t("Linked sign-ins")}
          rows={props.detail.sign_ins}
          columns={[
            { label: t("Issuer"), cell: (row) => <bdi>{row.issuer}</bdi> },
            { label: t("Address there"), cell: (row) => <bdi>{shownText(row.email ?? "")}</bdi> },
            { label: t("Linked"), cell: (row) => listMoment(row.created_at) },
            { label: t("Last used"), cell: (row) => listMoment(row.last_used_at) },
          ]}
        />
      </Card>
    </Show>
  );
}
