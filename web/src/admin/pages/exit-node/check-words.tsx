import type { exitDnsEntry, exitHealthEntry } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import { Status } from "../../../kit/status.tsx";
import { shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";

type Dns = ResponseOf<typeof exitDnsEntry>;
type Health = ResponseOf<typeof exitHealthEntry>;

const failureTexts: Readonly<Record<NonNullable<Health["failure"]>, string>> = {
  no_relay_url: t("It has no relay address."),
  no_relay_key: t("No relay key is saved under its name."),
  address_not_allowed: t("Its address is not allowed."),
  unreachable: t("Nothing responded at its address."),
  tls: t("Its certificate was not accepted."),
  timeout: t("It took too long to respond."),
  too_large: t("Its response was too large."),
  malformed: t("Its response was not that of an agent."),
  redirected: t("It redirected us; redirects are not followed."),
  http_status: t("It responded with an error."),
  unauthorized: t("It does not know our relay key."),
  clock_skew: t("Its clock is too far from ours."),
  not_proven: t("The server at this address did not prove that it holds the relay key."),
  wrong_node: t("Another node responded."),
  not_ok: t("It reports that it is not healthy."),
};

export function healthWord(health: Health | null): JSX.Element {
  if (health === null) {
    return <Status tone="neutral">{t("not checked")}</Status>;
  }
  return (
    <Status tone={health.ok ? "ok" : "bad"}>{health.ok ? t("well") : shownWord(health.failure ?? "failed")}</Status>
  );
}

export function dnsWord(dns: Dns | null): JSX.Element {
  if (dns === null) {
    return <Status tone="neutral">{t("not checked")}</Status>;
  }
  return (
    <Status tone={dns.matched ? "ok" : "bad"}>
      {dns.matched ? t("matches") : dns.failure === null ? t("differs") : shownWord(dns.failure)}
    </Status>
  );
}

/** What a failed check means, in a sentence. */
export function healthSentence(health: Health): string {
  if (health.failure === null) {
    return health.ok ? t("It responded and proved that it holds the relay key.") : t("It is not healthy.");
  }
  const status = health.http_status === null ? "" : t(" (HTTP {http_status})", { http_status: health.http_status });
  return `${failureTexts[health.failure]}${status}`;
}
