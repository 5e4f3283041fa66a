import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { t } from "../../translate.ts";
import { type UserDetail, userDetailPath } from "./detail.ts";

/** Where the user is logged in. */
export function Sessions(props: { readonly detail: UserDetail }): JSX.Element {
  const action = createAction(userDetailPath);
  const [isAsked, setIsAsked] = createSignal(false);
  const revoke = async (): Promise<string> => {
    await apiPost("/backend/admin/user/sessions/revoke/", { user_id: props.detail.user.user_id });
    return t("All sessions of the user have ended.");
  };
  return (
    <Show
      when={props.detail.sessions.length > 0}
      fallback={<EmptyState title={t("No active sessions")}>{t("Sessions appear here after a login.")}</EmptyState>}
    >
      <div class="section-stack">
        <div class="button-row">
          <ActButton operation="/backend/admin/user/sessions/revoke/" variant="danger" onClick={() => setIsAsked(true)}>
            {t("End all sessions")}
          </ActButton>
        </div>
        <SimpleTable
          label={t("Sessions")}
          rows={props.detail.sessions}
          columns={[
            { label: t("Browser"), cell: (row) => row.user_agent },
            { label: t("Address"), cell: (row) => <code>{row.ip}</code> },
            { label: t("Logged in"), cell: (row) => listMoment(row.created_at) },
            { label: t("Last seen"), cell: (row) => listMoment(row.seen_at) },
            { label: t("Ends"), cell: (row) => listMoment(row.expires_at) },
          ]}
        />
        <ConfirmDialog
          isOpen={isAsked()}
          onClose={() => setIsAsked(false)}
          title={t("End all sessions of this user")}
          action={t("End sessions")}
          isBusy={action.isBusy()}
          onConfirm={() => void action.run(revoke).then(() => setIsAsked(false))}
        >
          {t("The user has to log in again everywhere. API keys keep working.")}
        </ConfirmDialog>
      </div>
    </Show>
  );
}
