import type { JSX } from "solid-js";
import { Figure, Figures } from "../../../kit/card.tsx";
import { formats } from "../../formats.ts";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import type { UserDetail } from "./detail.ts";

type Wallet = Pick<UserDetail, "balance" | "spent">;

/** What an account has and what it spent. */
export function Balance(props: { readonly of: Wallet; readonly since: string }): JSX.Element {
  return (
    <Figures label={t("Balance and spending")}>
      <Figure
        label={t("Remaining")}
        value={formats.quotaRounded(props.of.balance.remaining)}
        exact={formats.quota(props.of.balance.remaining)}
        note={t("{ledger} held for calls or not booked yet", {
          ledger: formats.quotaRounded(BigInt(props.of.balance.ledger) - BigInt(props.of.balance.remaining)),
        })}
      />
      <Figure
        label={t("Granted")}
        value={formats.quotaRounded(props.of.balance.granted)}
        exact={formats.quota(props.of.balance.granted)}
        note={t("{reserved} held for running calls", { reserved: formats.quota(props.of.balance.reserved) })}
      />
      <Figure
        label={t("Used")}
        value={formats.quotaRounded(props.of.balance.used)}
        exact={formats.quota(props.of.balance.used)}
        note={props.since}
      />
      <Spent label={t("Last day")} sums={props.of.spent.last_day} />
      <Spent label={t("Last 7 days")} sums={props.of.spent.last_7_days} />
      <Spent label={t("Last 30 days")} sums={props.of.spent.last_30_days} />
    </Figures>
  );
}

function Spent(props: { readonly label: string; readonly sums: Wallet["spent"]["last_day"] }): JSX.Element {
  return (
    <Figure
      label={props.label}
      value={formats.quotaRounded(props.sums.settled_quota)}
      exact={formats.quota(props.sums.settled_quota)}
      note={t("{completed} of {calls} calls completed", {
        completed: shownCount(props.sums.completed),
        calls: shownCount(props.sums.calls),
      })}
    />
  );
}
