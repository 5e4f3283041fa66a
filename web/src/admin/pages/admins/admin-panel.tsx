import { For, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { createMe, rightsOf } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { type Admin, type AdminAction, actionsFor } from "./admin.ts";
import { actionTitles } from "./forms.tsx";

/** One admin, and what can be done to them. */
export function AdminPanel(props: {
  readonly admin: Admin;
  readonly onAct: (action: AdminAction) => void;
}): JSX.Element {
  const me = createMe();
  const isSelf = (): boolean => me.admin()?.username === props.admin.username;
  return (
    <>
      <Facts
        facts={[
          { name: t("Username"), value: props.admin.username },
          { name: t("E-mail"), value: shownText(props.admin.email) },
          { name: t("Mobile"), value: shownText(props.admin.mobile) },
          { name: t("Role"), value: <StateWord state={rightsOf(props.admin)} /> },
          {
            name: t("Authenticator"),
            value: <StateWord state={props.admin.has_totp ? "enabled" : "not_set_up"} />,
          },
          { name: t("Sessions"), value: shownCount(props.admin.sessions) },
          { name: t("Last login"), value: shownMoment(props.admin.last_login_at, t("never")) },
          { name: t("Created"), value: shownMoment(props.admin.created_at) },
          { name: t("Updated"), value: shownMoment(props.admin.updated_at) },
        ]}
      />
      <Show
        when={!isSelf()}
        fallback={
          <p class="muted">{t("This is you: only another super-admin can change your rights or end your sessions.")}</p>
        }
      >
        <div class="button-row">
          <For each={actionsFor(props.admin)}>
            {(action) => <Button onClick={() => props.onAct(action)}>{actionTitles[action]}</Button>}
          </For>
        </div>
      </Show>
      <div class="button-row">
        <PageLink class="button" href={`/admin/audit/?subject_kind=admin&subject_id=${props.admin.admin_id}`}>
          {t("Change history")}
        </PageLink>
      </div>
    </>
  );
}
