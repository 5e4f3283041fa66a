import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField } from "../../parts/form-parts.tsx";
import { createMe } from "../../parts/rights.tsx";
import { rich, t } from "../../translate.ts";
import { type UserDetail, userDetailPath } from "./detail.ts";

/** Removes the authenticator of a user who has lost it and the recovery codes; only super-admins see the button. */
export function TotpRemoval(props: { readonly user: UserDetail["user"] }): JSX.Element {
  return (
    <Show when={props.user.has_totp}>
      <RemovalButton user={props.user} />
    </Show>
  );
}

function RemovalButton(props: { readonly user: UserDetail["user"] }): JSX.Element {
  const me = createMe();
  const [isAsked, setIsAsked] = createSignal(false);
  return (
    <Show when={me.isSuper()}>
      <Button variant="danger" onClick={() => setIsAsked(true)}>
        {t("Remove authenticator")}
      </Button>
      <Dialog isOpen={isAsked()} onClose={() => setIsAsked(false)} title={t("Remove the authenticator")}>
        <RemovalForm user={props.user} onDone={() => setIsAsked(false)} />
      </Dialog>
    </Show>
  );
}

function RemovalForm(props: { readonly user: UserDetail["user"]; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(userDetailPath, "/backend/admin/user/", "/backend/admin/audit/");
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) =>
      reason.trim().length < 3 ? { reason: t("Describe how you verified the person's identity.") } : {},
    submit: async ({ reason }) => {
      await apiPost("/backend/admin/totp/remove/", { user_id: props.user.user_id, reason: reason.trim() });
      showToast(t("The authenticator and the recovery codes were removed; all sessions of the user have ended."));
      props.onDone();
      await refresh();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/totp/remove/"
      action={t("Remove now")}
      tone="danger"
      onCancel={props.onDone}
    >
      <p>
        {rich(
          "From now on, the password of {email} is enough to log in. Make sure that the owner is asking: someone with a stolen password would ask for exactly this.",
          { email: <bdi>{props.user.email}</bdi> },
        )}
      </p>
      <ReasonField form={form} />
    </AdminForm>
  );
}
