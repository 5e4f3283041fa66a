import { allLocales } from "@sluice/contracts/locales";
import type { mailTemplateListResponse } from "@sluice/contracts/mail";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Badge } from "../../../kit/status.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { t } from "../../translate.ts";
import { templateOccasion } from "./template-names.ts";

const path = "/backend/admin/mail/template/list/";

type Template = {
  readonly name: string;
  readonly variables: readonly string[];
  readonly required: readonly string[];
  /** When each changed language was last changed. */
  readonly changed: ReadonlyMap<string, string>;
};

const columns: readonly Column<Template>[] = [
  { id: "name", label: t("Template"), cell: (template) => <code>{template.name}</code>, card: "title" },
  { id: "occasion", label: t("Sent when"), cell: (template) => templateOccasion(template.name) },
  {
    id: "languages",
    label: t("Languages, changed ones marked"),
    cell: (template) => <Languages template={template} />,
  },
  {
    id: "required",
    label: t("Required"),
    cell: (template) => <For each={template.required}>{(name) => <code>{`{{${name}}} `}</code>}</For>,
    isHiddenAtFirst: true,
  },
];

/** The templates, each in every language; those that an admin changed are marked. */
export function TemplateList(): JSX.Element {
  const state = createTableState({ filters: [] });
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof mailTemplateListResponse>(path, { signal }),
  }));
  const rows = (): Template[] | undefined =>
    query.data?.templates.map((template) => ({
      ...template,
      changed: new Map(
        query.data?.changed
          .filter(({ name }) => name === template.name)
          .map(({ locale, updated_at }) => [locale, updated_at]),
      ),
    }));
  return (
    <DataTable
      name="admin-mail-templates"
      label={t("E-mail templates")}
      columns={columns}
      state={state}
      rows={rows()}
      rowId={(template) => template.name}
      isLoading={query.isPending}
      error={query.error}
      onRetry={() => void query.refetch()}
      empty={{ title: t("No templates yet"), text: t("Templates are shipped with the program.") }}
    />
  );
}

function Languages(props: { readonly template: Template }): JSX.Element {
  return (
    <span class="button-row">
      <For each={allLocales}>
        {(locale) => {
          const changedAt = props.template.changed.get(locale);
          return (
            <PageLink class="chip" href={`/admin/mail/templates/${props.template.name}/${locale}/`}>
              {locale}
              {changedAt === undefined ? null : (
                <Badge>{t("changed {changedAt}", { changedAt: formats.date(changedAt) })}</Badge>
              )}
            </PageLink>
          );
        }}
      </For>
    </span>
  );
}
