import type { statementSumsResponse } from "@sluice/contracts/billing";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Switch } from "solid-js";
import { apiGet, apiUrl } from "../../../api/client.ts";
import { formatTagOf } from "../../../i18n/locale.ts";
import { Card } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { ErrorState, Skeleton } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import styles from "./billing.module.css";
import { changeName } from "./change-name.ts";
import { billingArea } from "./messages/messages.ts";

const monthsShown = 24;
const path = "/backend/billing/statement/";
const monthFormat = new Intl.DateTimeFormat(formatTagOf(consoleLocale), {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const monthText = (month: string): string => monthFormat.format(new Date(`${month}-01T00:00:00Z`));

/** A month of the account as a download or as a page to print. */
export function Statements(): JSX.Element {
  const texts = billingArea.texts();
  const months = lastMonths(new Date());
  const [month, setMonth] = createSignal(months[0] ?? "");
  return (
    <Card title={texts.statements}>
      <p class="muted">{texts.statementText}</p>
      <div class={styles["row"]}>
        <SelectField label={texts.month} value={month()} onChange={(event) => setMonth(event.currentTarget.value)}>
          <For each={months}>{(each) => <option value={each}>{monthText(each)}</option>}</For>
        </SelectField>
        <a class="button" href={apiUrl(path, { month: month(), format: "csv" })} download="">
          {texts.csv}
        </a>
        <a class="button" href={apiUrl(path, { month: month(), format: "html" })} target="_blank" rel="noopener">
          {texts.print}
        </a>
      </div>
      <Sums month={month()} />
    </Card>
  );
}

/** The opening balance, credits, debits and closing balance of the month: the same lines as in the file, added up. */
function Sums(props: { readonly month: string }): JSX.Element {
  const texts = billingArea.texts();
  const query = createQuery(() => ({
    queryKey: ["statement", props.month],
    queryFn: ({ signal }) =>
      apiGet<typeof statementSumsResponse>("/backend/billing/statement/sums/", {
        signal,
        query: { month: props.month },
      }),
    placeholderData: keepPreviousData,
  }));
  return (
    <Switch fallback={<Skeleton width="100%" />}>
      <Match when={query.isError}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.statement}>
        {(statement) => (
          <table class={styles["sums"]}>
            <caption class="visually-hidden">{monthText(statement().month)}</caption>
            <tbody>
              <SumLine name={texts.opening} amount={statement().opening_quota} />
              <For each={statement().sums}>
                {({ change_type, amount }) => <SumLine name={changeName(change_type)} amount={amount} />}
              </For>
            </tbody>
            <tfoot>
              <SumLine name={texts.closing} amount={statement().closing_quota} />
            </tfoot>
          </table>
        )}
      </Match>
    </Switch>
  );
}

function SumLine(props: { readonly name: string; readonly amount: number | string }): JSX.Element {
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td>{formats.quotaColumn(props.amount)}</td>
    </tr>
  );
}

/** The last months, newest first, as `2026-11`, in UTC. */
function lastMonths(now: Date): string[] {
  return Array.from({ length: monthsShown }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1)).toISOString().slice(0, 7),
  );
}
