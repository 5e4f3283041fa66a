import type { ReferralState, referralLinkResponse, referralPageResponse } from "@sluice/contracts/referrals";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { billingArea } from "./messages/messages.ts";

type Page = ResponseOf<typeof referralPageResponse>;
type Referral = Page["referrals"][number];

const path = "/backend/billing/referral/";
const shownMax = 100;
const tones: Readonly<Record<ReferralState, Tone>> = {
  pending: "info",
  rewarded: "ok",
  refused: "neutral",
  taken_back: "warn",
};

/** The link for inviting others, and those who came by it; nothing where that is not rewarded. */
export function Referrals(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: ["referrals"],
    queryFn: ({ signal }) =>
      apiGet<typeof referralPageResponse>(`${path}list/`, { query: { limit: shownMax }, signal }),
  }));
  return (
    <Switch>
      <Match when={query.isError && query.data === undefined}>
        <Card title={billingArea.texts().referralTitle}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Card>
      </Match>
      <Match when={query.data?.is_on === true || (query.data?.referrals.length ?? 0) > 0 ? query.data : undefined}>
        {(page) => <ReferralCard page={page()} />}
      </Match>
    </Switch>
  );
}

function ReferralCard(props: { readonly page: Page }): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const make = createMutation(() => ({
    mutationFn: () => apiPost<typeof referralLinkResponse>(`${path}link/`, {}),
    onSuccess: () => client.invalidateQueries({ queryKey: ["referrals"] }),
  }));
  const terms = (): string => {
    const { inviter_quota: inviter, invited_quota: invited, wait_days: days, month_max: max } = props.page;
    const both = BigInt(invited) === 0n ? texts.referralText : texts.referralTextBoth;
    return fill(both, {
      amount: formats.quota(inviter),
      theirs: formats.quota(invited),
      days: formats.number(days),
      max: formats.number(max),
    });
  };
  return (
    <Card title={texts.referralTitle}>
      <Show when={props.page.is_on}>
        <p>{terms()}</p>
        <Show
          when={props.page.link}
          fallback={
            <p>
              <Button isBusy={make.isPending} onClick={() => make.mutate()}>
                {texts.referralMake}
              </Button>
            </p>
          }
        >
          {(link) => (
            <p>
              <CopyText text={link()} label={texts.referralLink} />
            </p>
          )}
        </Show>
        <Show when={make.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      </Show>
      <Show when={props.page.referrals.length > 0}>
        <ReferralTable rows={props.page.referrals} />
      </Show>
    </Card>
  );
}

function ReferralTable(props: { readonly rows: readonly Referral[] }): JSX.Element {
  const texts = billingArea.texts();
  const state = createTableState({ filters: [] });
  return (
    <DataTable<Referral>
      name="referrals"
      label={texts.referralTitle}
      state={state}
      rows={props.rows}
      rowId={({ who, registered_at: at }) => `${who} ${at}`}
      columns={[
        { id: "who", label: texts.referralWho, card: "title", cell: ({ who }) => <bdi>{who}</bdi> },
        {
          id: "state",
          label: texts.status,
          card: "badge",
          cell: ({ state: of }) => <Status tone={tones[of]}>{texts.referralStates[of]}</Status>,
        },
        {
          id: "reward",
          label: texts.referralReward,
          align: "end",
          cell: ({ reward_quota: reward }) => formats.quota(reward),
        },
        { id: "at", label: texts.time, cell: ({ registered_at: at }) => formats.dateTime(at) },
      ]}
      isLoading={false}
      error={null}
      onRetry={() => undefined}
      empty={{ title: texts.referralTitle, text: "" }}
    />
  );
}
