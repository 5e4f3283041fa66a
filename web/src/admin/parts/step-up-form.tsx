import type { adminLoginResponse } from "@sluice/contracts/accounts";
import { createSignal, type JSX, Show } from "solid-js";
import { ApiError, apiPost } from "../../api/client.ts";
import { createForm } from "../../form/create-form.ts";
import { TextField } from "../../kit/field.tsx";
import { rich, t } from "../translate.ts";
import { AdminForm } from "./form-parts.tsx";
import { createMe } from "./rights.tsx";

/** The password again, and the code if the admin has an authenticator. */
export function StepUpForm(props: { readonly onDone: () => void; readonly onCancel: () => void }): JSX.Element {
  const me = createMe();
  const [needsCode, setNeedsCode] = createSignal(false);
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async ({ password, code }) => {
      const login = {
        login: me.admin()?.username ?? "",
        password,
        ...(code.trim() === "" ? {} : { code: code.trim() }),
      };
      try {
        await apiPost<typeof adminLoginResponse>("/backend/auth/admin/login/", login, { isOtherLogin: true });
      } catch (error) {
        setNeedsCode((was) => was || (error instanceof ApiError && error.code === "code_required"));
        throw error;
      }
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation={null} action={t("Log in and continue")} onCancel={props.onCancel}>
      <p>
        {rich(
          "This requires a recent login. Enter the password of {username}; what you typed is kept and sent afterwards.",
          { username: <strong>{me.admin()?.username}</strong> },
        )}
      </p>
      <TextField
        label={t("Your password")}
        type="password"
        autocomplete="current-password"
        {...form.text("password")}
      />
      <Show when={needsCode() || me.admin()?.has_totp === true}>
        <TextField
          label={t("One-time code")}
          hint={t("From your authenticator, or a recovery code.")}
          inputmode="text"
          autocomplete="one-time-code"
          {...form.text("code")}
        />
      </Show>
    </AdminForm>
  );
}
