import type { exitDnsResponse, exitHealthResponse, exitNodeEntry } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { shownMoment, shownMs } from "../../shown.ts";
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
      ? `${host} resolves to ${expected} and nothing else`
      : `${host} resolves to ${resolved.join(", ") || "nothing"}, not to ${expected}`;
  };
  const checkHealth = async (): Promise<string> => {
    const answer = await apiPost<typeof exitHealthResponse>(`${base}/health/`, reference());
    return healthSentence(answer.health);
  };
  return (
    <Card title="Checks">
      <Facts facts={[...dnsFacts(props.node), ...healthFacts(props.node)]} />
      <div class="button-row">
        <ActButton
          operation="/backend/admin/exit-node/dns-check/"
          isBusy={dns.isBusy()}
          onClick={() => void dns.run(checkDns)}
        >
          Check DNS
        </ActButton>
        <ActButton
          operation="/backend/admin/exit-node/health/"
          isBusy={health.isBusy()}
          onClick={() => void health.run(checkHealth)}
        >
          Check health
        </ActButton>
        <Show when={!props.node.is_host_form}>
          <ActButton operation="/backend/admin/exit-node/switch/" variant="danger" onClick={() => setIsAsking(true)}>
            Switch to host
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
    { name: "Host resolves to", value: dns === null ? "not checked yet" : dns.resolved.join(", ") || "nothing" },
    { name: "DNS checked", value: shownMoment(dns?.checked_at ?? null, "never") },
  ];
}

function healthFacts({
  health,
  switch_streak: streak,
}: Node): { readonly name: string; readonly value: JSX.Element }[] {
  return [
    { name: "Health", value: healthWord(health) },
    { name: "Meaning", value: health === null ? "not checked yet" : healthSentence(health) },
    { name: "Checked address", value: health?.url ?? "not checked yet" },
    { name: "Latency", value: shownMs(health?.latency_ms ?? null) },
    { name: "Health checked", value: shownMoment(health?.checked_at ?? null, "never") },
    { name: "Healthy in a row", value: `${streak} by host name` },
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
    return `Calls now go to ${answer.node.relay_url}`;
  };
  const confirm = async (): Promise<void> => {
    await action.run(switchNow);
    props.onClose();
  };
  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="Switch to the host"
      action="Switch now"
      typed={{ word: props.node.node_code, label: `Type ${props.node.node_code}` }}
      isBusy={action.isBusy()}
      onConfirm={() => void confirm()}
    >
      <p>
        {`Calls go to ${props.node.host_url} instead of ${props.node.relay_url ?? "nowhere"}. Both checks run first; if DNS differs or the node is not healthy there, nothing changes.`}
      </p>
    </ConfirmDialog>
  );
}
