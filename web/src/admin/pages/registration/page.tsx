import { type CreateQueryResult, createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, ShownAfter } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { createMe, SuperOnly } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { Credits } from "./credits.tsx";
import { Invitations } from "./invitations.tsx";
import { modeTexts, type RegistrationSettings, type Rules, registrationPath } from "./registration.ts";
import { RulesForm } from "./rules-form.tsx";

/** Who may register, and what newcomers get. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Registration"));
  const me = createMe();
  const settings = createQuery(() => ({
    queryKey: [registrationPath],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(registrationPath, { signal }) as Promise<RegistrationSettings>,
    enabled: me.isSuper(),
  }));
  const isAboveShown = (): boolean =>
    me.isSuper() ? !settings.isPending : me.admin() !== undefined || me.error() !== null;
  return (
    <>
      <PageHead
        title={t("Registration")}
        text={t("Who may create an account, with a password or by a sign-in service, and what new users get.")}
      />
      <SuperOnly what={t("Registration can be viewed and changed")}>
        <Settings query={settings} />
      </SuperOnly>
      <ShownAfter isReady={isAboveShown()}>
        <Card title={t("Free credit")}>
          <Credits />
        </Card>
      </ShownAfter>
    </>
  );
}

function Settings(props: { readonly query: CreateQueryResult<RegistrationSettings> }): JSX.Element {
  return (
    <Switch fallback={<LoadingPart size="page" />}>
      <Match when={props.query.data}>
        {(data) => (
          <>
            <RulesCard rules={data().rules} />
            <Card title={t("Invitations")}>
              <Invitations invitations={data().invitations} onRetry={() => void props.query.refetch()} />
            </Card>
          </>
        )}
      </Match>
      <Match when={props.query.error}>
        {(error) => (
          <ErrorState
            title={t("The settings could not be loaded")}
            error={error()}
            onRetry={() => void props.query.refetch()}
          />
        )}
      </Match>
    </Switch>
  );
}

const limitText = (most: number): string => (most === 0 ? t("no limit") : formats.number(most));
const listText = (domains: readonly string[]): string => (domains.length === 0 ? t("none") : domains.join(", "));

function RulesCard(props: { readonly rules: Rules }): JSX.Element {
  const [isEditing, setIsEditing] = createSignal(false);
  const hasCredit = (): boolean => BigInt(props.rules.credit_quota) > 0n;
  return (
    <Card title={t("Rules")} actions={<Button onClick={() => setIsEditing(true)}>{t("Edit rules")}</Button>}>
      <Facts
        facts={[
          { name: t("Who may register"), value: modeTexts[props.rules.mode] },
          { name: t("Domains"), value: <bdi>{listText(props.rules.domains)}</bdi> },
          { name: t("Refused domains"), value: <bdi>{listText(props.rules.refused_domains)}</bdi> },
          {
            name: t("Proof of work"),
            value:
              props.rules.proof_bits === 0 ? t("off") : t("{proof_bits} bits", { proof_bits: props.rules.proof_bits }),
          },
          { name: t("Free credit"), value: hasCredit() ? formats.quota(props.rules.credit_quota) : t("none") },
          {
            name: t("Per network"),
            value: t("{credits_per_network_day} a day, {credits_per_network} in all", {
              credits_per_network_day: limitText(props.rules.credits_per_network_day),
              credits_per_network: limitText(props.rules.credits_per_network),
            }),
          },
          {
            name: t("Per device"),
            value: t("{credits_per_device_day} a day, {credits_per_device} in all", {
              credits_per_device_day: limitText(props.rules.credits_per_device_day),
              credits_per_device: limitText(props.rules.credits_per_device),
            }),
          },
          {
            name: t("For everybody"),
            value: t("{credits_per_day} a day", { credits_per_day: limitText(props.rules.credits_per_day) }),
          },
        ]}
      />
      <Dialog
        isOpen={isEditing()}
        onClose={() => setIsEditing(false)}
        title={t("Edit the rules of registration")}
        size="wide"
      >
        <Show when={isEditing()}>
          <RulesForm rules={props.rules} onDone={() => setIsEditing(false)} />
        </Show>
      </Dialog>
    </Card>
  );
}
