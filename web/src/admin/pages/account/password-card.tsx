import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { sessionsPath } from "./paths.ts";

const empty = { current_password: "", new_password: "" };

/** Changes the password, which logs the other sessions out. */
export function PasswordCard(): JSX.Element {
  const refresh = useRefresh(sessionsPath);
  const form = createForm({
    initial: empty,
    submit: async (values) => {
      await apiPost("/backend/auth/admin/password/change/", values);
      form.reset(empty);
      showToast(t("Your password was changed. Other sessions have ended."));
      await refresh();
    },
  });
  return (
    <Card title={t("Password")}>
      <AdminForm form={form} operation={null} action={t("Change password")}>
        <TextField
          label={t("Current password")}
          type="password"
          autocomplete="current-password"
          {...form.text("current_password")}
        />
        <TextField
          label={t("New password")}
          type="password"
          autocomplete="new-password"
          {...form.text("new_password")}
        />
      </AdminForm>
    </Card>
  );
}
