import { type JSX, Show } from "solid-js";
import { formats } from "../formats.ts";
import { frameArea } from "../messages/frame.ts";
import { createBalanceQuery } from "./queries.ts";

const refreshMs = 15_000;

/** The balance, at the foot of the sidebar: updated after calls and payments, and linked to the plans. */
export function BalanceFoot(): JSX.Element {
  const texts = frameArea.texts().console;
  const query = createBalanceQuery(refreshMs);
  const remaining = (): bigint | null => (query.data === undefined ? null : BigInt(query.data.balance.remaining_quota));
  return (
    <Show when={remaining() !== null}>
      <a class="sidebar-balance" href="/console/billing/" data-empty={(remaining() ?? 0n) <= 0n}>
        <span>{texts.balance}</span>
        <strong title={formats.quota(remaining() ?? 0n)}>
          <bdi>{formats.quotaRounded(remaining() ?? 0n)}</bdi>
        </strong>
        <Show when={(remaining() ?? 0n) <= 0n}>
          <span class="sidebar-top-up">{texts.topUp}</span>
        </Show>
      </a>
    </Show>
  );
}
