import type { exitNodeEntry, exitNodeResponse } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent, orNull, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { nodeStatuses } from "../../values.ts";

type Node = ResponseOf<typeof exitNodeEntry>;

export const nodePaths = ["/backend/admin/exit-node/list/", "/backend/admin/exit-node/detail/"] as const;

const weightDefault = 100;

function initialOf(node: Node | null) {
  return {
    node_code: node?.node_code ?? "",
    name: node?.name ?? "",
    region: node?.region ?? "",
    host: node?.host ?? "",
    ip: node?.ip ?? "",
    relay_url: node?.relay_url ?? "",
    relay_key: "",
    relay_key_secret: node?.relay_key_secret ?? "",
    status: (node?.status ?? "testing") as string,
    weight: String(node?.weight ?? weightDefault),
    callback_base_url: node?.callback_base_url ?? "",
    oauth_redirect_path: node?.oauth_redirect_path ?? "",
    source_node_id: node?.source_node_id?.toString() ?? "",
  };
}

/** Creates a node, or changes the one that was loaded. Its relay key goes in and is never shown. */
export function NodeForm(props: {
  readonly node: Node | null;
  readonly onSaved?: (node: Node) => void;
  readonly onCancel?: () => void;
}): JSX.Element {
  const node = props.node;
  const refresh = useRefresh(...nodePaths);
  const form = createForm({
    initial: initialOf(node),
    submit: async (values) => {
      const { relay_key: relayKey, relay_key_secret: secretName, weight, ...rest } = values;
      const saved = await apiPost<typeof exitNodeResponse>("/backend/admin/exit-node/save/", {
        node_code: rest.node_code.trim(),
        name: rest.name,
        region: rest.region,
        host: rest.host.trim(),
        ip: rest.ip.trim(),
        relay_url: orNull(rest.relay_url),
        relay_key: orAbsent(relayKey),
        relay_key_secret: orAbsent(secretName),
        status: rest.status,
        weight: wholeOrNull(weight),
        callback_base_url: orNull(rest.callback_base_url),
        oauth_redirect_path: orNull(rest.oauth_redirect_path),
        source_node_id: wholeOrNull(rest.source_node_id),
        ...(node === null ? {} : { version: node.version }),
      });
      showToast(t("{name} saved", { name: saved.node.name }));
      form.set("relay_key", "");
      await refresh();
      props.onSaved?.(saved.node);
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/exit-node/save/"
      action={node === null ? t("Add node") : t("Save node")}
      {...(props.onCancel === undefined ? {} : { onCancel: props.onCancel })}
    >
      <FieldRow>
        <TextField
          label={t("Code")}
          hint={t("Lower-case letters, digits, - and _. It can't be changed later.")}
          readOnly={node !== null}
          spellcheck={false}
          {...form.text("node_code")}
        />
        <TextField label={t("Name")} {...form.text("name")} />
        <TextField label={t("Region")} optional={t("optional")} {...form.text("region")} />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Host")} hint={t("DNS name of the node.")} spellcheck={false} {...form.text("host")} />
        <TextField
          label={t("IP address")}
          hint={t("The host must resolve to this address.")}
          spellcheck={false}
          {...form.text("ip")}
        />
        <TextField
          label={t("Relay address")}
          hint={t("Where calls go now. The host takes over once DNS matches and the node is healthy there.")}
          optional={t("optional")}
          spellcheck={false}
          {...form.text("relay_url")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Relay key")}
          hint={
            node?.has_relay_key === true
              ? t("A key is saved; enter another one to replace it.")
              : t("No key is saved yet.")
          }
          optional={t("stored encrypted")}
          type="password"
          autocomplete="new-password"
          {...form.text("relay_key")}
        />
        <TextField
          label={t("Secret of the relay key")}
          hint={t("The name it is saved under; if empty, named after the node.")}
          optional={t("optional")}
          spellcheck={false}
          {...form.text("relay_key_secret")}
        />
      </FieldRow>
      <FieldRow>
        <ChoiceField label={t("Status")} options={nodeStatuses} {...form.text("status")} />
        <TextField
          label={t("Weight")}
          hint={t("0 to 1000, relative to the other active nodes.")}
          {...form.text("weight")}
        />
        <TextField
          label={t("Source node ID")}
          optional={t("optional")}
          inputmode="numeric"
          {...form.text("source_node_id")}
        />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Callback address")} optional={t("optional")} {...form.text("callback_base_url")} />
        <TextField label={t("OAuth redirect path")} optional={t("optional")} {...form.text("oauth_redirect_path")} />
      </FieldRow>
    </AdminForm>
  );
}
