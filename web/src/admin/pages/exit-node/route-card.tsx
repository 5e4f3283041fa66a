import type { exitRouteEntry, exitRouteResponse } from "@sluice/contracts/exit-nodes";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Card } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { EmptyState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orNull, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { t } from "../../translate.ts";
import { nodeStatuses } from "../../values.ts";
import { EditButton } from "./account-card.tsx";
import { nodePaths } from "./node-form.tsx";

type Route = ResponseOf<typeof exitRouteEntry>;

/** Whose calls may go through a node. Routes that name no node are shown with each. */
export function RouteCard(props: { readonly nodeCode: string; readonly routes: readonly Route[] }): JSX.Element {
  const [edited, setEdited] = createSignal<Route | "new" | null>(null);
  const route = (): Route | null => ((each) => (each === "new" ? null : each))(edited());
  return (
    <Card
      title={t("Routes")}
      actions={
        <ActButton operation="/backend/admin/exit-node/route/save/" onClick={() => setEdited("new")}>
          {t("Add route")}
        </ActButton>
      }
    >
      <Show
        when={props.routes.length > 0}
        fallback={
          <EmptyState title={t("No routes")}>
            {t("A route sends a user's calls for some models through exit nodes.")}
          </EmptyState>
        }
      >
        <SimpleTable
          label={t("Routes")}
          rows={props.routes}
          columns={[
            { label: t("Route"), cell: (row) => <code>{row.route_code}</code> },
            { label: t("Account ID"), cell: (row) => String(row.gateway_user_id) },
            { label: t("Provider"), cell: (row) => row.provider },
            { label: t("Models"), cell: (row) => <code>{row.model_pattern}</code> },
            { label: t("Node"), cell: (row) => row.node_code ?? t("every node with the provider") },
            { label: t("Status"), cell: (row) => <StateWord state={row.status} /> },
            { label: t("Updated"), cell: (row) => listMoment(row.updated_at) },
            {
              label: t("Edit"),
              cell: (row) => (
                <EditButton
                  operation="/backend/admin/exit-node/route/save/"
                  name={row.route_code}
                  onClick={() => setEdited(row)}
                />
              ),
            },
          ]}
        />
      </Show>
      <Dialog
        isOpen={edited() !== null}
        onClose={() => setEdited(null)}
        title={route()?.route_code ?? t("Add a route")}
      >
        <RouteForm nodeCode={props.nodeCode} route={route()} onDone={() => setEdited(null)} />
      </Dialog>
    </Card>
  );
}

function RouteForm(props: {
  readonly nodeCode: string;
  readonly route: Route | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { route } = props;
  const refresh = useRefresh(...nodePaths);
  const form = createForm({
    initial: {
      route_code: route?.route_code ?? "",
      gateway_user_id: route?.gateway_user_id.toString() ?? "",
      provider: route?.provider ?? "",
      model_pattern: route?.model_pattern ?? "*",
      node_code: route === null ? props.nodeCode : (route.node_code ?? ""),
      status: (route?.status ?? "testing") as string,
    },
    body: (values) => ({
      ...values,
      route_code: values.route_code.trim(),
      gateway_user_id: wholeOrNull(values.gateway_user_id),
      node_code: orNull(values.node_code),
      ...(route === null ? {} : { version: route.version }),
    }),
    submit: async (_, body) => {
      const saved = await apiPost<typeof exitRouteResponse>("/backend/admin/exit-node/route/save/", body);
      showToast(t("{route_code} saved", { route_code: saved.route.route_code }));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/exit-node/route/save/"
      action={t("Save route")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label={t("Code")}
          hint={t("Lower-case letters, digits, . - and _")}
          readOnly={route !== null}
          spellcheck={false}
          {...form.text("route_code")}
        />
        <TextField label={t("Account ID")} inputmode="numeric" {...form.text("gateway_user_id")} />
      </FieldRow>
      <FieldRow>
        <TextField label={t("Provider")} spellcheck={false} {...form.text("provider")} />
        <TextField
          label={t("Models")}
          hint={t("* matches any characters.")}
          spellcheck={false}
          {...form.text("model_pattern")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label={t("Node")}
          hint={t("If empty, every node with an account of the provider.")}
          optional={t("optional")}
          spellcheck={false}
          {...form.text("node_code")}
        />
        <ChoiceField label={t("Status")} options={nodeStatuses} {...form.text("status")} />
      </FieldRow>
    </AdminForm>
  );
}
