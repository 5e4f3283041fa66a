import type { adminLoginResponse } from "@sluice/contracts/accounts";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { ApiError, answerStepUpsWith, apiPost } from "../../api/client.ts";
import { createForm } from "../../form/create-form.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { AdminForm } from "./form-parts.tsx";
import { createMe } from "./rights.tsx";

/**
 * Asks for the login again when an action requires a fresh one, and then sends the action again. The page and its input
 * stay as they are.
 */
export function StepUpDialog(): JSX.Element {
  const [answer, setAnswer] = createSignal<((isFresh: boolean) => void) | null>(null);
  let asked: Promise<boolean> | null = null;
  // Two actions refused at the same moment wait for one login.
  const ask = (): Promise<boolean> => {
    asked ??= new Promise<boolean>((resolve) => setAnswer(() => resolve)).finally(() => {
      asked = null;
      setAnswer(null);
    });
    return asked;
  };
  onMount(() => onCleanup(answerStepUpsWith(ask)));
  const end = (isFresh: boolean): void => answer()?.(isFresh);
  return (
    <Dialog isOpen={answer() !== null} onClose={() => end(false)} title="Log in again">
      <LoginForm onDone={() => end(true)} onCancel={() => end(false)} />
    </Dialog>
  );
}

function LoginForm(props: { readonly onDone: () => void; readonly onCancel: () => void }): JSX.Element {
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
    <AdminForm form={form} operation={null} action="Log in and continue" onCancel={props.onCancel}>
      <p>
        This requires a recent login. Enter the password of <strong>{me.admin()?.username}</strong>; what you typed is
        kept and sent afterwards.
      </p>
      <TextField label="Your password" type="password" autocomplete="current-password" {...form.text("password")} />
      <Show when={needsCode() || me.admin()?.has_totp === true}>
        <TextField
          label="Code"
          hint="From your authenticator, or a recovery code."
          inputmode="text"
          autocomplete="one-time-code"
          {...form.text("code")}
        />
      </Show>
    </AdminForm>
  );
}
