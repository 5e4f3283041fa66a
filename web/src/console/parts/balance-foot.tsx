import { type JSX, Show } from "solid-js";
import { mayDo } from "../acting-for.ts";
import { formats } from "../formats.ts";
import { frameArea } from "../messages/frame.ts";
import { createBalanceQuery } from "./queries.ts";

/** Members of an organisation who don't pay for it see the balance, and their usage. */
const mayPay = mayDo("billing");

const refreshMs = 15_000;

/** The balance, at the foot of the sidebar: updated after calls and payments, and linked to the plans. */
export function BalanceFoot(): JSX.Element {
  const texts = frameArea.texts().console;
  const query = createBalanceQuery(refreshMs);
  const remaining = (): bigint | null => (query.data === undefined ? null : BigInt(query.data.balance.remaining_quota));
  return (
    <Show when={remaining() !== null}>
      <a
        class="sidebar-balance"
        href={mayPay ? "/console/billing/" : "/console/usage/"}
        data-empty={(remaining() ?? 0n) <= 0n}
      >
        <span>{texts.balance}</span>
        <strong title={formats.quota(remaining() ?? 0n)}>
          <bdi>{formats.quotaRounded(remaining() ?? 0n)}</bdi>
        </strong>
        <Show when={mayPay && (remaining() ?? 0n) <= 0n}>
          <span class="sidebar-top-up">{texts.topUp}</span>
        </Show>
      </a>
    </Show>
  );
}
