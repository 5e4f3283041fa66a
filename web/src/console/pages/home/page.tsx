import type { userAnswer } from "@sluice/contracts/accounts";
import type { balanceAnswer } from "@sluice/contracts/billing";
import type { AnswerOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Card, Facts, Figure, Figures } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { ErrorState, Skeleton } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useConsoleTitle } from "../../console-title.ts";
import { formats } from "../../formats.ts";
import { homeArea } from "./messages/messages.ts";

type Balance = AnswerOf<typeof balanceAnswer>["balance"];

const tones: Readonly<Record<AnswerOf<typeof userAnswer>["user"]["status"], Tone>> = {
  active: "ok",
  email_pending: "warn",
  suspended: "bad",
  closed: "neutral",
};

/** What the account is and what is left of it. */
export function Page(): JSX.Element {
  const texts = homeArea.texts();
  useConsoleTitle(() => texts.title);
  return (
    <>
      <PageHead title={texts.title} />
      <BalanceFigures />
      <AccountCard />
    </>
  );
}

function BalanceFigures(): JSX.Element {
  const texts = homeArea.texts();
  const query = createQuery(() => ({
    queryKey: ["balance"],
    queryFn: ({ signal }) => apiGet<typeof balanceAnswer>("/backend/billing/balance/", { signal }),
  }));
  const shown = (pick: (balance: Balance) => number | string): JSX.Element =>
    query.isSuccess ? formats.quota(pick(query.data.balance)) : <Skeleton width="6rem" />;
  return (
    <Switch
      fallback={
        <Figures label={texts.balanceLabel}>
          <Figure label={texts.balance} value={shown((balance) => balance.remaining_quota)} />
          <Figure label={texts.used} value={shown((balance) => balance.used_quota)} />
        </Figures>
      }
    >
      <Match when={query.isError}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
    </Switch>
  );
}

function AccountCard(): JSX.Element {
  const texts = homeArea.texts();
  const query = createQuery(() => ({
    queryKey: ["me"],
    queryFn: ({ signal }) => apiGet<typeof userAnswer>("/backend/auth/me/", { signal }),
  }));
  return (
    <Card title={texts.account}>
      <Switch fallback={<Skeleton width="70%" />}>
        <Match when={query.isError}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.user}>
          {(user) => (
            <Facts
              facts={[
                { name: texts.email, value: <bdi>{user().email}</bdi> },
                { name: texts.userId, value: <CopyText text={String(user().user_id)} label={texts.userId} /> },
                {
                  name: texts.gatewayUserId,
                  value: <CopyText text={String(user().gateway_user_id)} label={texts.gatewayUserId} />,
                },
                {
                  name: texts.status,
                  value: <Status tone={tones[user().status]}>{texts.statusNames[user().status]}</Status>,
                },
                { name: texts.multiplier, value: <bdi>{`× ${user().rate_multiplier}`}</bdi> },
              ]}
            />
          )}
        </Match>
      </Switch>
    </Card>
  );
}
