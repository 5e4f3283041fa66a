import type { JSX } from "solid-js";
import { Figure, Figures } from "../../../kit/card.tsx";
import { formats } from "../../formats.ts";
import { shownCount } from "../../shown.ts";
import type { UserDetail } from "./detail.ts";

type Wallet = Pick<UserDetail, "balance" | "spent">;

/** What an account has and what it spent. */
export function Balance(props: { readonly of: Wallet; readonly since: string }): JSX.Element {
  return (
    <Figures label="Balance and spending">
      <Figure
        label="Remaining"
        value={formats.quotaRounded(props.of.balance.remaining)}
        exact={formats.quota(props.of.balance.remaining)}
        note={`${formats.quotaRounded(BigInt(props.of.balance.ledger) - BigInt(props.of.balance.remaining))} held for calls or not booked yet`}
      />
      <Figure
        label="Granted"
        value={formats.quotaRounded(props.of.balance.granted)}
        exact={formats.quota(props.of.balance.granted)}
        note={`${formats.quota(props.of.balance.reserved)} held for running calls`}
      />
      <Figure
        label="Used"
        value={formats.quotaRounded(props.of.balance.used)}
        exact={formats.quota(props.of.balance.used)}
        note={props.since}
      />
      <Spent label="Last day" sums={props.of.spent.last_day} />
      <Spent label="Last 7 days" sums={props.of.spent.last_7_days} />
      <Spent label="Last 30 days" sums={props.of.spent.last_30_days} />
    </Figures>
  );
}

function Spent(props: { readonly label: string; readonly sums: Wallet["spent"]["last_day"] }): JSX.Element {
  return (
    <Figure
      label={props.label}
      value={formats.quotaRounded(props.sums.settled_quota)}
      exact={formats.quota(props.sums.settled_quota)}
      note={`${shownCount(props.sums.completed)} of ${shownCount(props.sums.calls)} calls completed`}
    />
  );
}
