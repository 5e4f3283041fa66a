import type { doneOrWaiting, saveAdminResponse, sessionRevokeResponse } from "@sluice/contracts/accounts";
import type { AdminOperation } from "@sluice/contracts/admin-rights";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent } from "../../parts/field-values.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { roleOptions, superAdminOption } from "../../parts/rights.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import type { Admin, AdminAction } from "./admin.ts";

const listPath = "/backend/admin/admin/list/";

const roleHint = t(
  "Read-only sees everything but bodies and secrets. Support sees users, keys, calls and e-mails, and suspends users and keys. Billing sees and manages orders and money.",
);

export const actionTitles: Readonly<Record<AdminAction, string>> = {
  role: t("Change role"),
  promote: t("Make super-admin"),
  demote: t("Make plain admin"),
  disable: t("Disable"),
  restore: t("Make admin again"),
  link: t("Send password link"),
  sessions: t("End sessions"),
  totp: t("Remove authenticator"),
};

/** What to know before pressing the button. */
const consequences: Readonly<Record<AdminAction, string>> = {
  role: t("Their sessions and access tokens end immediately; they have to log in again."),
  promote: t("They can do everything here, including to you. They have to log in again."),
  demote: t(
    "They keep ordinary admin rights, without access to secrets, settings, payloads and other admins. They have to log in again.",
  ),
  disable: t("They are logged out immediately and can't log in. Links already sent to them stop working."),
  restore: t("They can log in again with their old password, as a plain admin."),
  link: t("They receive a link by e-mail that works once, within an hour. The old password works until then."),
  sessions: t("They are logged out everywhere immediately, and can log in again."),
  totp: t("Verify who is asking: without it, the password alone is enough. All their sessions end."),
};

/** Whether it would let one super-admin act as two. */
function takesTwo(admin: Admin, action: AdminAction): boolean {
  const isOfSuper = admin.agent >= 2;
  // No limited role includes another, so that a change of one grants something.
  const isMore = action === "promote" || action === "restore" || (action === "role" && admin.role !== "admin");
  return isMore || ((action === "link" || action === "totp") && isOfSuper);
}

const agents = { role: 1, promote: 2, demote: 1, disable: 0, restore: 1 } as const;

/** What saves other rights. */
const rightsBody = (admin: Admin, { action, role, reason }: Act) => ({
  ...{ admin_id: admin.admin_id, reason, updated_at: admin.updated_at },
  ...(isChange(action) ? { agent: agents[action] } : {}),
  ...(action === "role" ? { role } : {}),
});

const isChange = (action: AdminAction): action is keyof typeof agents => action in agents;

const operations: Readonly<Record<Exclude<AdminAction, keyof typeof agents>, AdminOperation>> = {
  link: "/backend/admin/admin/password-link/",
  sessions: "/backend/admin/admin/sessions/revoke/",
  totp: "/backend/admin/totp/remove/",
};

const operationOf = (action: AdminAction): AdminOperation =>
  isChange(action) ? "/backend/admin/admin/save/" : operations[action];

type Act = { readonly action: AdminAction; readonly role: string; readonly reason: string };

async function act(admin: Admin, asked: Act): Promise<string> {
  const about = { admin_id: admin.admin_id, reason: asked.reason };
  switch (asked.action) {
    case "link":
      return outcomeText(await apiPost<typeof doneOrWaiting>(operations.link, about), () =>
        t("A link is on its way to {email}.", { email: admin.email }),
      );
    case "sessions": {
      const { revoked } = await apiPost<typeof sessionRevokeResponse>(operations.sessions, about);
      return t("{revoked} sessions ended.", { revoked });
    }
    case "totp":
      return outcomeText(await apiPost<typeof doneOrWaiting>(operations.totp, about), () =>
        t("The authenticator was removed."),
      );
    default:
      return outcomeText(
        await apiPost<typeof saveAdminResponse>("/backend/admin/admin/save/", rightsBody(admin, asked)),
        () => t("{username} was changed.", { username: admin.username }),
      );
  }
}

/** Does one thing to an admin, with a reason; removing all rights requires typing the name. */
export function AdminActionForm(props: {
  readonly admin: Admin;
  readonly action: AdminAction;
  readonly onDone: () => void;
}): JSX.Element {
  const { admin, action } = props;
  const refresh = useRefresh(listPath);
  const form = createForm({
    initial: { role: admin.role as string, reason: "", word: "" },
    check: (values) => ({
      ...reasonFault(values.reason),
      ...(action === "disable" && values.word !== admin.username ? { word: t("Type the username.") } : {}),
    }),
    ...(isChange(action)
      ? {
          body: ({ role, reason }: { readonly role: string; readonly reason: string }) =>
            rightsBody(admin, { action, role, reason: reason.trim() }),
        }
      : {}),
    submit: async (values) => {
      showToast(await act(admin, { action, role: values.role, reason: values.reason.trim() }));
      await refresh();
      props.onDone();
    },
  });
  const tone = action === "disable" || action === "totp" ? "danger" : "primary";
  return (
    <AdminForm
      form={form}
      operation={operationOf(action)}
      action={actionTitles[action]}
      tone={tone}
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        <span>
          <strong>{admin.username}</strong>: {consequences[action]}
        </span>
      </Notice>
      <Show when={takesTwo(admin, action)}>
        <SecondPersonNotice what={t("This waits")} />
      </Show>
      {action === "role" ? (
        <ChoiceField label={t("Role")} hint={roleHint} options={roleOptions} {...form.text("role")} />
      ) : null}
      <ReasonField form={form} />
      {action === "disable" ? (
        <TextField
          label={t("Type {username} to confirm", { username: admin.username })}
          autocomplete="off"
          {...form.text("word")}
        />
      ) : null}
    </AdminForm>
  );
}

/** Creates an admin, who alone learns the password. */
export function CreateForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(listPath);
  const form = createForm({
    initial: { username: "", email: "", mobile: "", role: "admin", reason: "" },
    check: (values) => ({
      ...(/^[\w.-]{1,64}$/.test(values.username)
        ? {}
        : { username: t("Letters, digits, dots, dashes and underscores.") }),
      ...(values.email.includes("@") ? {} : { email: t("The password link is sent here.") }),
      ...reasonFault(values.reason),
    }),
    submit: async (values) => {
      const answer = await apiPost<typeof saveAdminResponse>("/backend/admin/admin/create/", {
        username: values.username,
        email: values.email.trim(),
        mobile: orAbsent(values.mobile),
        ...(values.role === "super_admin" ? { agent: 2 } : { agent: 1, role: values.role }),
        reason: values.reason.trim(),
      });
      showToast(
        outcomeText(answer, ({ admin }) =>
          t("{username} was created; a link is on its way to {email}.", {
            username: admin.username,
            email: admin.email,
          }),
        ),
      );
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/admin/create/" action={t("Create admin")} onCancel={props.onDone}>
      <SecondPersonNotice what={t("This waits")} />
      <TextField label={t("Username")} autocomplete="off" spellcheck={false} {...form.text("username")} />
      <TextField
        label={t("E-mail")}
        hint={t("Receives a password link that is valid for an hour.")}
        type="email"
        autocomplete="off"
        {...form.text("email")}
      />
      <TextField label={t("Mobile number (optional)")} inputmode="tel" autocomplete="off" {...form.text("mobile")} />
      <ChoiceField
        label={t("Role")}
        hint={roleHint}
        options={[...roleOptions, superAdminOption]}
        {...form.text("role")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
