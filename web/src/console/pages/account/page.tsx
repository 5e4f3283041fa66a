import type { JSX } from "solid-js";
import { Match, Show, Switch } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { ErrorState, LoadingPart, ShownAfter } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { ConsoleHead } from "../../console-head.tsx";
import { formats } from "../../formats.ts";
import { createMeQuery } from "../../parts/queries.ts";
import { ClosingCard } from "./closing-card.tsx";
import { DataCard } from "./data-card.tsx";
import { EmailCard } from "./email-card.tsx";
import { accountArea } from "./messages/messages.ts";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { PreferencesCard } from "./preferences-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { SignInsCard } from "./sign-ins-card.tsx";
import { TotpCard } from "./totp-card.tsx";
import type { User } from "./user.ts";

const tones: Readonly<Record<User["status"], Tone>> = {
  active: "ok",
  email_pending: "warn",
  suspended: "bad",
  closed: "neutral",
};

/** The user's identity, and login settings. */
export function Page(): JSX.Element {
  const texts = accountArea.texts();
  const query = createMeQuery();
  return (
    <>
      <ConsoleHead texts={texts} />
      <Switch fallback={<LoadingPart size="page" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.user}>
          {(user) => (
            <>
              <UserFacts user={user()} />
              <ProfileCard user={user()} />
              <EmailCard user={user()} />
              <PasswordCard user={user()} />
              <PasskeysCard user={user()} />
              <SignInsCard user={user()} />
              <TotpCard user={user()} />
            </>
          )}
        </Match>
      </Switch>
      <ShownAfter isReady={!query.isPending}>
        <SessionsCard />
        <PreferencesCard />
        <Show when={query.data?.user}>
          {(user) => (
            <>
              <DataCard user={user()} />
              <ClosingCard user={user()} />
            </>
          )}
        </Show>
      </ShownAfter>
    </>
  );
}

function UserFacts(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const facts = () => {
    const { user } = props;
    return [
      { name: texts.userId, value: <CopyText text={String(user.user_id)} label={texts.userId} /> },
      {
        name: texts.gatewayUserId,
        value: <CopyText text={String(user.gateway_user_id)} label={texts.gatewayUserId} />,
      },
      { name: texts.email, value: <bdi>{user.email}</bdi> },
      { name: texts.status, value: <Status tone={tones[user.status]}>{texts.statusNames[user.status]}</Status> },
      {
        name: texts.multiplier,
        value: (
          <>
            <bdi>{`× ${formats.decimal(user.rate_multiplier)}`}</bdi> <span class="muted">{texts.multiplierText}</span>
          </>
        ),
      },
      { name: texts.created, value: formats.date(user.created_at) },
    ];
  };
  return (
    <Card title={texts.facts}>
      <Facts facts={facts()} />
    </Card>
  );
}
