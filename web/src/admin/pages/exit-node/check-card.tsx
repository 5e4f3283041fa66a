import type { exitDnsResponse, exitHealthResponse, exitNodeEntry } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { shownMoment, shownMs } from "../../shown.ts";
import { t } from "../../translate.ts";
import { dnsWord, healthSentence, healthWord } from "./check-words.tsx";
import { nodePaths } from "./node-form.tsx";

type Node = ResponseOf<typeof exitNodeEntry>;

const base = "/backend/admin/exit-node";

/** The results of the last checks, and the buttons that check again and switch the node to its host. */
export function CheckCard(props: { readonly node: Node }): JSX.Element {
  const dns = createAction(...nodePaths);
  const health = createAction(...nodePaths);
  const [isAsking, setIsAsking] = createSignal(false);
  const reference = () => ({ node_code: props.node.node_code });
  const checkDns = async (): Promise<string> => {
    const answer = await apiPost<typeof exitDnsResponse>(`${base}/dns-check/`, reference());
    const { host, expected, resolved, matched } = answer.dns;
    return matched
      ? t("{host} resolves to {expected} and nothing else", { host, expected })
      : t("{host} resolves to {resolved}, not to {expected}", {
          host,
          resolved: resolved.join(", ") || t("nothing"),
          expected,
        });
  };
  const checkHealth = async (): Promise<string> => {
    const answer = await apiPost<typeof exitHealthResponse>(`${base}/health/`, reference());
    return healthSentence(answer.health);
  };
  return (
    <Card title={t("Checks")}>
      <Facts facts={[...dnsFacts(props.node), ...healthFacts(props.node)]} />
      <div class="button-row">
        <ActButton
          operation="/backend/admin/exit-node/dns-check/"
          isBusy={dns.isBusy()}
          onClick={() => void dns.run(checkDns)}
        >
          {t("Check DNS")}
        </ActButton>
        <ActButton
          operation="/backend/admin/exit-node/health/"
          isBusy={health.isBusy()}
          onClick={() => void health.run(checkHealth)}
        >
          {t("Check health")}
        </ActButton>
        <Show when={!props.node.is_host_form}>
          <ActButton operation="/backend/admin/exit-node/switch/" variant="danger" onClick={() => setIsAsking(true)}>
            {t("Switch to host")}
          </ActButton>
        </Show>
      </div>
      <SwitchDialog node={props.node} isOpen={isAsking()} onClose={() => setIsAsking(false)} />
    </Card>
  );
}

function dnsFacts({ dns }: Node): { readonly name: string; readonly value: JSX.Element }[] {
  return [
    { name: "DNS", value: dnsWord(dns) },
    {
      name: t("Host resolves to"),
      value: dns === null ? t("not checked yet") : dns.resolved.join(", ") || t("nothing"),
    },
    { name: t("DNS checked"), value: shownMoment(dns?.checked_at ?? null, t("never")) },
  ];
}

function healthFacts({
  health,
  switch_streak: streak,
}: Node): { readonly name: string; readonly value: JSX.Element }[] {
  return [
    { name: t("Health"), value: healthWord(health) },
    { name: t("Meaning"), value: health === null ? t("not checked yet") : healthSentence(health) },
    { name: t("Checked address"), value: health?.url ?? t("not checked yet") },
    { name: t("Latency"), value: shownMs(health?.latency_ms ?? null) },
    { name: t("Health checked"), value: shownMoment(health?.checked_at ?? null, t("never")) },
    { name: t("Successful checks in a row"), value: t("{streak} by host name", { streak }) },
  ];
}

function SwitchDialog(props: {
  readonly node: Node;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const action = createAction(...nodePaths);
  const switchNow = async (): Promise<string> => {
    const { node_code, version } = props.node;
    const answer = await apiPost<typeof exitHealthResponse>(`${base}/switch/`, { node_code, version });
    return t("Calls now go to {relay_url}", { relay_url: answer.node.relay_url });
  };
  const confirm = async (): Promise<void> => {
    await action.run(switchNow);
    props.onClose();
  };
  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={t("Switch to the host")}
      action={t("Switch now")}
      typed={{ word: props.node.node_code, label: t("Type {node_code}", { node_code: props.node.node_code }) }}
      isBusy={action.isBusy()}
      onConfirm={() => void confirm()}
    >
      <p>
        {t(
          "Calls go to {host_url} instead of {relay_url}. Both checks run first; if DNS differs or the node is not healthy there, nothing changes.",
          { host_url: props.node.host_url, relay_url: props.node.relay_url ?? t("nowhere") },
        )}
      </p>
    </ConfirmDialog>
  );
}
