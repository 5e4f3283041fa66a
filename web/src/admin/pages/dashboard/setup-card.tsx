import type { setupOutput } from "@sluice/contracts/setup";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import type { Me } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import styles from "./setup-card.module.css";

type Step = ResponseOf<typeof setupOutput>["steps"][number]["step"];

const path = "/backend/admin/setup/";
const hiddenName = "sluice-setup-hidden";

const texts: Readonly<Record<Step, { readonly title: string; readonly text: string; readonly href: string }>> = {
  provider: {
    title: t("Connect a provider"),
    text: t("Choose a preset, paste its key, test it."),
    href: "/admin/upstreams/add/",
  },
  models: {
    title: t("Serve priced models"),
    text: t("Tick models in the provider's list; prices are proposed."),
    href: "/admin/upstreams/",
  },
  plan: {
    title: t("Offer a plan"),
    text: t("What customers can buy, and what they get for it."),
    href: "/admin/plans/",
  },
  payment: {
    title: t("Take payments"),
    text: t("Save the credentials of a card or wallet gateway."),
    href: "/admin/secrets/",
  },
  mail: {
    title: t("Set up e-mail"),
    text: t("Until MAIL_ADAPTER is set, e-mails are logged and not sent."),
    href: "/admin/mail/",
  },
  address: {
    title: t("Set the public address"),
    text: t("PUBLIC_BASE_URL, with https, is used in e-mails, snippets and payments."),
    href: "/admin/settings/",
  },
  brand: { title: t("Name your service"), text: t("On every page and in every e-mail."), href: "/admin/branding/" },
  legal: {
    title: t("Add terms and privacy policy"),
    text: t("They are linked in the footer and at registration."),
    href: "/admin/branding/",
  },
  backup: {
    title: t("Back up the database"),
    text: t("With the command backup, best every night. Counts for 30 days."),
    href: "/admin/audit/?action=backup.make",
  },
  authenticator: {
    title: t("Protect the super-admins"),
    text: t("Each needs an authenticator for login."),
    href: "/admin/account/",
  },
};

export type Setup = {
  readonly steps: () => readonly { readonly step: Step; readonly is_done: boolean }[];
  readonly error: () => Error | null;
  readonly retry: () => void;
  /** Whether it is known what to show, if anything. */
  readonly isSettled: () => boolean;
  readonly hide: () => void;
};

/** The steps for super-admins; none when they are hidden in this browser. */
export function createSetup(me: Me): Setup {
  const [isHidden, setIsHidden] = createSignal(localStorage.getItem(hiddenName) !== null);
  const isWanted = (): boolean => !isHidden() && me.isSuper();
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof setupOutput>(path, { signal }),
    enabled: isWanted(),
  }));
  return {
    steps: () => (isWanted() ? (query.data?.steps ?? []) : []),
    error: () => (isWanted() && query.data === undefined ? query.error : null),
    retry: () => void query.refetch(),
    isSettled: () => isHidden() || (isWanted() ? !query.isPending : me.admin() !== undefined || me.error() !== null),
    hide: () => {
      localStorage.setItem(hiddenName, "1");
      setIsHidden(true);
    },
  };
}

/** What is left before customers come; gone when everything is done. */
export function SetupCard(props: { readonly setup: Setup }): JSX.Element {
  const { steps, error, hide, retry } = props.setup;
  const done = (): number => steps().filter(({ is_done }) => is_done).length;
  return (
    <>
      <Show when={error()}>{(each) => <ErrorState error={each()} onRetry={retry} />}</Show>
      <Show when={done() < steps().length}>
        <Card
          title={t("Set up: {done} of {steps} done", { done: done(), steps: steps().length })}
          actions={<Button onClick={hide}>{t("Hide")}</Button>}
        >
          <ol class={styles["steps"]}>
            <For each={steps()}>
              {({ step, is_done }) => (
                <li data-done={is_done}>
                  <div>
                    <a href={texts[step].href}>{texts[step].title}</a>
                    <div class="muted">{texts[step].text}</div>
                  </div>
                  <Status tone={is_done ? "ok" : "neutral"}>{is_done ? t("done") : t("not done")}</Status>
                </li>
              )}
            </For>
          </ol>
        </Card>
      </Show>
    </>
  );
}
