import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { t } from "../../translate.ts";
import { type UserDetail, userDetailPath } from "./detail.ts";

/** Suspends an active user after a question, and undoes that; nothing for users in other states. */
export function SuspendButton(props: {
  readonly user: Pick<UserDetail["user"], "user_id" | "email" | "status" | "updated_at">;
}): JSX.Element {
  const action = createAction(userDetailPath, "/backend/admin/user/", "/backend/admin/mail/", "/backend/admin/audit/");
  const [isAsking, setIsAsking] = createSignal(false);
  const save = async (status: "suspended" | "active", done: string): Promise<string> => {
    const { user_id, updated_at } = props.user;
    await apiPost("/backend/admin/user/save/", { user_id, status, updated_at });
    return done;
  };
  const suspend = () =>
    save("suspended", t("The user is suspended: all sessions have ended, and API keys are refused."));
  const reactivate = () => save("active", t("The user is active again."));
  return (
    <>
      <Show when={props.user.status === "suspended"}>
        <ActButton
          operation="/backend/admin/user/save/"
          isBusy={action.isBusy()}
          onClick={() => void action.run(reactivate)}
        >
          {t("Reactivate")}
        </ActButton>
      </Show>
      <Show when={props.user.status === "active"}>
        <ActButton operation="/backend/admin/user/save/" variant="danger" onClick={() => setIsAsking(true)}>
          {t("Suspend")}
        </ActButton>
      </Show>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setIsAsking(false)}
        title={t("Suspend this user")}
        action={t("Suspend now")}
        typed={{ word: props.user.email, label: t("Type {email} to confirm", { email: props.user.email }) }}
        isBusy={action.isBusy()}
        onConfirm={() => void action.run(suspend).then(() => setIsAsking(false))}
      >
        {t(
          "All sessions end and API keys stop working immediately. The balance and data are kept; you can reactivate the user later.",
        )}
      </ConfirmDialog>
    </>
  );
}
