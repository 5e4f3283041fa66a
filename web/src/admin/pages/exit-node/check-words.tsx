import type { exitDnsEntry, exitHealthEntry } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import { Status } from "../../../kit/status.tsx";
import { shownWord } from "../../shown.ts";

type Dns = ResponseOf<typeof exitDnsEntry>;
type Health = ResponseOf<typeof exitHealthEntry>;

const failureTexts: Readonly<Record<NonNullable<Health["failure"]>, string>> = {
  no_relay_url: "It has no relay address.",
  no_relay_key: "No relay key is saved under its name.",
  address_not_allowed: "Its address is not allowed.",
  unreachable: "Nothing responded at its address.",
  tls: "Its certificate was not accepted.",
  timeout: "It took too long to respond.",
  too_large: "Its response was too large.",
  malformed: "Its response was not that of an agent.",
  redirected: "It redirected us; redirects are not followed.",
  http_status: "It responded with an error.",
  unauthorized: "It does not know our relay key.",
  clock_skew: "Its clock is too far from ours.",
  not_proven: "The server at this address did not prove that it holds the relay key.",
  wrong_node: "Another node responded.",
  not_ok: "It reports that it is not healthy.",
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
    return health.ok ? "It responded and proved that it holds the relay key." : "It is not healthy.";
  }
  const status = health.http_status === null ? "" : ` (HTTP ${health.http_status})`;
  return `${failureTexts[health.failure]}${status}`;
}
