import type { ArchivedKind, ArchiveSubject, archiveOutput, archivePreview } from "@sluice/contracts/archive";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../api/client.ts";
import { createForm } from "../../form/create-form.ts";
import { ErrorState, LoadingPart, Notice } from "../../kit/states.tsx";
import { showToast } from "../../kit/toast.tsx";
import { shownCount } from "../shown.ts";
import { t } from "../translate.ts";
import { useRefresh } from "./actions.ts";
import { AdminForm, ReasonField, reasonFault } from "./form-parts.tsx";

const previewPath = "/backend/admin/archive/preview/";

/** A thing that can be archived, as its list has it. */
export type Archived = {
  readonly kind: ArchivedKind;
  readonly id: string;
  readonly name: string;
  readonly archivedAt: string | null;
  /** The lists that show it. */
  readonly paths: readonly string[];
};

type Preview = ResponseOf<typeof archivePreview>["preview"];

const kindTexts: Readonly<Record<ArchivedKind, string>> = {
  channel: t(
    "It gets no calls from now on, and its credentials are destroyed. Running calls continue. Its name can be used again.",
  ),
  model: t("It can’t be called from now on, and is on no page for customers. Its prices stay in the books."),
  group: t(
    "No account can use it from now on, and its places in the routing are removed. Calls keep its name in the books.",
  ),
  node: t("It gets no calls from now on, and its relay key is destroyed: after a restoration you enter it again."),
  plan: t("It can’t be bought from now on, and is on no page for customers. What was sold stays valid."),
};

/** For one, and for more than one. */
const subjectTexts: Readonly<Record<ArchiveSubject, readonly [one: string, more: string]>> = {
  abilities: [t("place in the routing of a group"), t("places in the routing of groups")],
  credentials: [t("credential"), t("credentials")],
  fallback_rules: [t("fallback rule of its own"), t("fallback rules of its own")],
  allowed_keys: [t("key that names it among its models"), t("keys that name it among their models")],
  sold_months: [t("month that was sold"), t("months that were sold")],
  open_orders: [t("open order, which can still be paid"), t("open orders, which can still be paid")],
  open_codes: [t("batch of codes, which can still be redeemed"), t("batches of codes, which can still be redeemed")],
  exit_node: [t("exit node that it belongs to"), t("exit nodes that it belongs to")],
  relay_key: [t("relay key"), t("relay keys")],
  accounts: [t("account at a provider, which is switched off"), t("accounts at providers, which are switched off")],
  routes: [t("route that leads to it"), t("routes that lead to it")],
  start_group: [t("rule by which new accounts start in it"), t("rules by which new accounts start in it")],
  exit_node_group: [t("use by exit nodes, which need it"), t("uses by exit nodes, which need it")],
  own_groups: [t("account whose own group it is"), t("accounts whose own group it is")],
  members: [t("user who has it"), t("users who have it")],
  group_keys: [t("API key that names it"), t("API keys that name it")],
  group_plans: [t("plan that gives it"), t("plans that give it")],
  group_months: [t("month that was sold with it"), t("months that were sold with it")],
  group_renewals: [t("customer who pays for it every month"), t("customers who pay for it every month")],
  group_codes: [t("batch of codes that gives it"), t("batches of codes that give it")],
  group_invitations: [t("invitation that gives it"), t("invitations that give it")],
  replacements: [t("model that names it as its replacement"), t("models that name it as their replacement")],
  fallback_targets: [t("model that falls back to it"), t("models that fall back to it")],
  mapped_names: [t("name of the Messages route that leads to it"), t("names of the Messages route that lead to it")],
  renewals: [t("customer who pays for it every month"), t("customers who pay for it every month")],
};

const effectTexts: Readonly<Record<Preview["effects"][number]["effect"], string>> = {
  removed: t("Removed"),
  goes_on: t("Stays as it is"),
  blocks: t("Change first"),
};

/** Archives a thing after saying what that does, or brings it back. */
export function ArchiveForms(props: Archived & { readonly onDone: () => void }): JSX.Element {
  return (
    <Show when={props.archivedAt !== null} fallback={<ArchiveForm {...props} />}>
      <ActForm {...props} isPossible={true} operation="/backend/admin/archive/restore/">
        <p>{t("It is shown in lists again, and stays switched off until you switch it on.")}</p>
      </ActForm>
    </Show>
  );
}

function ArchiveForm(props: Archived & { readonly onDone: () => void }): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [previewPath, props.kind, props.id],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof archivePreview>(previewPath, { query: { kind: props.kind, id: props.id }, signal }),
    gcTime: 0,
  }));
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.preview}>
        {(preview) => (
          <ActForm
            {...props}
            isPossible={preview().is_possible}
            operation="/backend/admin/archive/add/"
            onDone={props.onDone}
          >
            <p>{kindTexts[props.kind]}</p>
            <EffectList effects={preview().effects} />
          </ActForm>
        )}
      </Match>
    </Switch>
  );
}

function EffectList(props: { readonly effects: Preview["effects"] }): JSX.Element {
  return (
    <Show when={props.effects.length > 0}>
      <ul>
        <For each={props.effects}>
          {({ effect, count, subject }) => (
            <li>
              {t("{name}: {value}", {
                name: effectTexts[effect],
                value: `${shownCount(count)} ${subjectTexts[subject][BigInt(count) === 1n ? 0 : 1]}`,
              })}
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function ActForm(
  props: Archived & {
    readonly isPossible: boolean;
    readonly operation: "/backend/admin/archive/add/" | "/backend/admin/archive/restore/";
    readonly onDone: () => void;
    readonly children: JSX.Element;
  },
): JSX.Element {
  const { kind, id, name, operation, paths } = props;
  const isRestored = operation === "/backend/admin/archive/restore/";
  const refresh = useRefresh(...paths);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    submit: async ({ reason }) => {
      await apiPost<typeof archiveOutput>(operation, { kind, id, reason: reason.trim() });
      form.reset();
      await refresh();
      showToast(isRestored ? t("{name} was restored.", { name }) : t("{name} was archived.", { name }));
      props.onDone();
    },
  });
  return (
    <Show
      when={props.isPossible}
      fallback={
        <>
          {props.children}
          <Notice tone="warn">{t("Change what needs it first, then archive it.")}</Notice>
        </>
      }
    >
      <AdminForm
        form={form}
        operation={operation}
        action={isRestored ? t("Restore") : t("Archive now")}
        tone={isRestored ? "primary" : "danger"}
        onCancel={props.onDone}
      >
        {props.children}
        <ReasonField form={form} />
      </AdminForm>
    </Show>
  );
}
