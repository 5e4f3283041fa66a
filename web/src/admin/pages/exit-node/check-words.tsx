import type { exitDnsEntry, exitHealthEntry } from "@sluice/contracts/exit-nodes";
import type { AnswerOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import { Status } from "../../../kit/status.tsx";
import { shownWord } from "../../shown.ts";

type Dns = AnswerOf<typeof exitDnsEntry>;
type Health = AnswerOf<typeof exitHealthEntry>;

const failureTexts: Readonly<Record<NonNullable<Health["failure"]>, string>> = {
  no_relay_url: "It has no relay address.",
  no_relay_key: "No relay key is saved under its name.",
  address_not_allowed: "Its address is one that is never called.",
  unreachable: "Nobody answered at its address.",
  tls: "Its certificate was not accepted.",
  timeout: "It took too long to answer.",
  too_large: "Its answer was too large.",
  malformed: "Its answer was not that of an agent.",
  redirected: "It sent us elsewhere, and we did not go.",
  http_status: "It answered with an error.",
  unauthorized: "It does not know our relay key.",
  clock_skew: "Its clock is too far from ours.",
  not_proven: "Whoever answered did not show that it holds the relay key.",
  wrong_node: "Another node answered.",
  not_ok: "It says itself that it is not well.",
};

export function healthWord(health: Health | null): JSX.Element {
  if (health === null) {
    return <Status tone="neutral">not checked</Status>;
  }
  return <Status tone={health.ok ? "ok" : "bad"}>{health.ok ? "well" : shownWord(health.failure ?? "failed")}</Status>;
}

export function dnsWord(dns: Dns | null): JSX.Element {
  if (dns === null) {
    return <Status tone="neutral">not checked</Status>;
  }
  return (
    <Status tone={dns.matched ? "ok" : "bad"}>
      {dns.matched ? "matches" : dns.failure === null ? "differs" : shownWord(dns.failure)}
    </Status>
  );
}

/** What a failed check means, in a sentence. */
export function healthSentence(health: Health): string {
  if (health.failure === null) {
    return health.ok ? "It answered and showed that it holds the relay key." : "It is not well.";
  }
  const status = health.http_status === null ? "" : ` (HTTP ${health.http_status})`;
  return `${failureTexts[health.failure]}${status}`;
}
