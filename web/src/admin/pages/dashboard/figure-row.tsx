import type { Figure as FigureAnswer } from "@sluice/contracts/overview";
import { For, type JSX, Show } from "solid-js";
import { Figure, Figures } from "../../../kit/card.tsx";
import { Skeleton } from "../../../kit/states.tsx";
import { Term } from "../../../kit/tooltip.tsx";
import { formats } from "../../formats.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { dash, shownCount } from "../../shown.ts";
import { known, t } from "../../translate.ts";

/** The path to the rows that a figure counts. */
const links: Readonly<Record<string, string>> = {
  payments: "/admin/payments/",
  refunds_usd: "/admin/payments/?tab=refunds",
  pending_orders: "/admin/orders/?status=pending",
  orders_in_review: "/admin/orders/?is_marked=true",
  pending_leads: "/admin/leads/?status=pending",
  mail_failures: "/admin/mail/?has_error=true",
  new_users: "/admin/users/",
  requests: "/admin/trace/",
  quota: "/admin/reports/?report=usage",
  revenue_usd: "/admin/reports/?report=revenue",
};

/** Figures side by side, each with its definition, the previous period and a link to its rows. */
export function FigureRow(props: {
  readonly label: string;
  readonly keys: readonly string[];
  readonly figures: readonly FigureAnswer[];
}): JSX.Element {
  const shown = (): readonly FigureAnswer[] =>
    props.keys.flatMap((key) => props.figures.filter((figure) => figure.key === key));
  return (
    <Figures label={props.label}>
      <For each={shown()}>
        {(figure) => (
          <Figure
            label={<Term definition={definitionOf(figure)}>{known(figure.label)}</Term>}
            value={textOf(figure)}
            note={<Note figure={figure} />}
          />
        )}
      </For>
    </Figures>
  );
}

function definitionOf(figure: FigureAnswer): string {
  const when =
    figure.as_of === null ? t("Not counted yet.") : t("As of {as_of}.", { as_of: formats.dateTime(figure.as_of) });
  const days =
    figure.range === null
      ? t("Current value.")
      : t("{from_day} to {to_day}, {zone}.", {
          from_day: figure.range.from_day,
          to_day: figure.range.to_day,
          zone: figure.range.zone,
        });
  return `${known(figure.definition)} ${days} ${when}`;
}

function textOf({ unit, value }: FigureAnswer): string {
  if (value === null) {
    return dash;
  }
  switch (unit) {
    case "usd":
      return formats.usd(String(value));
    case "ratio":
      return formats.percent(Number(value));
    case "tokens":
      return formats.compact(Number(value));
    case "quota":
      return formats.quotaRounded(value);
    case "count":
      return shownCount(value);
  }
}

function Note(props: { readonly figure: FigureAnswer }): JSX.Element {
  const link = (): string | undefined => links[props.figure.key];
  const change = (): string => {
    const { change: share, previous, unit } = props.figure;
    // A change of a share in percent would be read as points of it.
    if (share !== null && unit !== "ratio") {
      const part = Number(share);
      return t("{change} from the previous period", { change: `${part > 0 ? "+" : ""}${formats.percent(part)}` });
    }
    if (props.figure.range === null) {
      return t("now");
    }
    return previous === null
      ? t("no previous period")
      : t("before: {value}", { value: textOf({ ...props.figure, value: previous }) });
  };
  return (
    <>
      {change()}{" "}
      <Show when={link()}>
        {(href) => (
          <PageLink
            href={href()}
            aria-label={t("Open {label}", { label: known(props.figure.label) })}
            otherwise="nothing"
          >
            {t("Open")}
          </PageLink>
        )}
      </Show>
    </>
  );
}

/** The placeholder of the figures, as large as they will be. */
export function LoadingFigures(props: {
  readonly rows: readonly { readonly label: string; readonly keys: readonly string[] }[];
}): JSX.Element {
  return (
    <For each={props.rows}>
      {(row) => (
        <Figures label={row.label} isLoading>
          <For each={row.keys}>
            {() => (
              <Figure
                label={<Skeleton width="50%" />}
                value={<Skeleton width="5rem" />}
                note={<Skeleton width="60%" />}
              />
            )}
          </For>
        </Figures>
      )}
    </For>
  );
}
