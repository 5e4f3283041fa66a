import type { resendDeadMailsResponse, resendMailResponse } from "@sluice/contracts/mail";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import { createTableState } from "../../../table/table-state.ts";
import { type MailRow, mailColumns } from "../../columns/account-columns.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { languageName } from "../../language-name.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { createListRange, rangeFilters } from "../../parts/list-range.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { RangeBar } from "../../parts/range-bar.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { mailStatuses } from "../../values.ts";
import { mailTemplates } from "./template-names.ts";

const path = "/backend/admin/mail/";

const selection = selectionOf("mails", path);

/** The emails, including failed ones, and a way to resend those. */
export function MailLog(): JSX.Element {
  const range = createListRange();
  const state = createTableState({ filters: ["to", "status", "template", "has_error", "user_id", ...rangeFilters] });
  const list = createListQuery<MailRow>({ path, state });
  const [isAsking, setIsAsking] = createSignal(false);
  return (
    <>
      <RangeBar state={range} />
      <DataTable
        {...list}
        name="admin-mails"
        label={t("E-mails")}
        columns={mailColumns}
        state={state}
        rowId={(mail) => String(mail.mail_id)}
        selection={selection}
        filters={[
          { id: "to", label: t("Address starts with"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(mailStatuses) },
          { id: "template", label: t("Template"), options: optionsOf(mailTemplates) },
          {
            id: "has_error",
            label: t("Trouble"),
            options: [
              { value: "true", label: t("with an error") },
              { value: "false", label: t("without an error") },
            ],
          },
        ]}
        empty={{
          title: t("No e-mails sent yet"),
          text: t("E-mails appear here when someone registers, pays or runs low on balance."),
        }}
        actions={
          <ActButton operation="/backend/admin/mail/resend-failed/" onClick={() => setIsAsking(true)}>
            {t("Resend failed")}
          </ActButton>
        }
        panel={{ title: (mail) => mail.to, content: (mail) => <MailPanel mail={mail} /> }}
      />
      <ResendFailed isOpen={isAsking()} template={state.filter("template")} onClose={() => setIsAsking(false)} />
    </>
  );
}

function MailPanel(props: { readonly mail: MailRow }): JSX.Element {
  const action = createAction(path);
  const mail = (): MailRow => props.mail;
  const resend = async (): Promise<string> => {
    await apiPost<typeof resendMailResponse>("/backend/admin/mail/resend/", { id: mail().mail_id });
    return t("The e-mail was queued again");
  };
  return (
    <>
      <Show when={mail().status === "dead"}>
        <Notice tone="bad">
          <span>
            {t("Failed after {attempts} attempts: {last_error}", {
              attempts: formats.number(mail().attempts),
              last_error: mail().last_error ?? t("no reason reported"),
            })}
          </span>
        </Notice>
        <div class="button-row">
          <ActButton
            operation="/backend/admin/mail/resend/"
            variant="primary"
            isBusy={action.isBusy()}
            onClick={() => void action.run(resend)}
          >
            {t("Resend e-mail")}
          </ActButton>
        </div>
      </Show>
      <Facts
        facts={[
          { name: t("To"), value: mail().to },
          { name: t("User"), value: <UserLink userId={mail().user_id} /> },
          { name: t("Subject"), value: shownText(mail().subject) },
          {
            name: t("Template"),
            value: (
              <PageLink href={`/admin/mail/templates/${mail().template}/${mail().locale}/`}>{mail().template}</PageLink>
            ),
          },
          { name: t("Language"), value: languageName(mail().locale) },
          { name: t("Status"), value: <StateWord state={mail().status} /> },
          { name: t("Attempts"), value: formats.number(mail().attempts) },
          { name: t("Last error"), value: shownText(mail().last_error) },
          { name: t("Next attempt"), value: shownMoment(mail().next_attempt_at) },
          { name: t("Expires at"), value: shownMoment(mail().expires_at) },
          { name: t("Queued at"), value: shownMoment(mail().created_at) },
          { name: t("Failed at"), value: shownMoment(mail().failed_at) },
          { name: t("Sent at"), value: shownMoment(mail().sent_at) },
          { name: t("ID at the provider"), value: shownText(mail().provider_id) },
          { name: t("Sent for"), value: shownText(mail().source) },
        ]}
      />
    </>
  );
}

function ResendFailed(props: {
  readonly isOpen: boolean;
  /** The selected template, empty for all. */
  readonly template: string;
  readonly onClose: () => void;
}): JSX.Element {
  const action = createAction(path);
  const resend = async (): Promise<string> => {
    const body = props.template === "" ? {} : { template: props.template };
    const { queued } = await apiPost<typeof resendDeadMailsResponse>("/backend/admin/mail/resend-failed/", body);
    return BigInt(queued) === 0n
      ? t("No failed e-mail can still be sent")
      : t("{queued} e-mails were queued again", { queued: shownCount(queued) });
  };
  const confirm = async (): Promise<void> => {
    await action.run(resend);
    props.onClose();
  };
  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={t("Resend failed e-mails")}
      action={t("Resend")}
      typed={{ word: "resend", label: t("Type resend") }}
      isBusy={action.isBusy()}
      onConfirm={() => void confirm()}
    >
      {props.template === ""
        ? t(
            "Every failed e-mail that has not expired is queued again, oldest first, at most 1,000. E-mails can't be recalled once sent.",
          )
        : t(
            "Every failed e-mail of the template {template} that has not expired is queued again, oldest first, at most 1,000. E-mails can't be recalled once sent.",
            { template: props.template },
          )}
    </ConfirmDialog>
  );
}
