import { type JSX, Show } from "solid-js";
import { acting } from "../../acting-for.ts";
import { AutoTopUp } from "./auto-top-up.tsx";
import { Redeem } from "./redeem.tsx";
import { Referrals } from "./referrals.tsx";
import { Renewals } from "./renewals.tsx";
import { Subscription } from "./subscription.tsx";

/** What the user has bought, and other ways to pay. */
export function BelowPlans(): JSX.Element {
  return (
    <>
      <Renewals />
      <Subscription />
      <AutoTopUp />
      <Redeem />
      {/* Inviting others is a person's own. */}
      <Show when={acting === null}>
        <Referrals />
      </Show>
    </>
  );
}
