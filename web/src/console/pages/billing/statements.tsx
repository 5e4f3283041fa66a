import { createSignal, For, type JSX } from "solid-js";
import { apiUrl } from "../../../api/client.ts";
import { formatTagOf } from "../../../i18n/locale.ts";
import { Card } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { consoleLocale } from "../../locales.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";

const monthsShown = 24;
const path = "/backend/billing/statement/";
const monthFormat = new Intl.DateTimeFormat(formatTagOf(consoleLocale), {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const monthText = (month: string): string => monthFormat.format(new Date(`${month}-01T00:00:00Z`));

/** A month of the account as a file or as a page to print. */
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
    </Card>
  );
}

/** The newest first, as `2026-11`, in UTC. */
function lastMonths(now: Date): string[] {
  return Array.from({ length: monthsShown }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1)).toISOString().slice(0, 7),
  );
}
