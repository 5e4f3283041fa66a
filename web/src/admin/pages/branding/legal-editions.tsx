import type { LegalPage } from "@sluice/contracts/brand";
import type { legalResponse } from "@sluice/contracts/branding";
import { directionOf, type Locale } from "@sluice/contracts/locales";
import type { ResponseOf } from "@sluice/contracts/wire";
import { For, type JSX, Show } from "solid-js";
import type { Form } from "../../../form/create-form.ts";
import { TextArea } from "../../../kit/field.tsx";
import { Notice } from "../../../kit/states.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { rich, t } from "../../translate.ts";

/** A legal page in one language, as it is stored. */
export type Stored = ResponseOf<typeof legalResponse>;

type TextAttributes = ReturnType<Form<Readonly<Record<string, unknown>>>["text"]>;

/** What a change can be, given the newest edition. */
const kindsOf = (edition: number) => [
  {
    value: "correction",
    label:
      edition === 0
        ? t("Needs no consent: nobody is asked")
        : t("A correction or translation of edition {edition}: nobody is asked again", { edition }),
  },
  {
    value: "consent",
    label: t("Needs consent: begins edition {edition}, and every user is asked", { edition: edition + 1 }),
  },
];

/** Whether users are asked to accept a change, and what they are told of it. */
export function ConsentFields(props: {
  readonly locale: Locale;
  /** The newest edition of the page. */
  readonly edition: number;
  readonly asks: boolean;
  readonly kind: TextAttributes;
  readonly changes: TextAttributes;
}): JSX.Element {
  return (
    <>
      <ChoiceField label={t("This change")} options={kindsOf(props.edition)} {...props.kind} />
      <Show when={props.asks || props.edition > 0}>
        <TextArea
          label={t("What is different")}
          hint={t("A few plain sentences in the language of the text. Users who are asked read them first.")}
          rows="3"
          lang={props.locale}
          dir={directionOf(props.locale)}
          {...props.changes}
        />
      </Show>
    </>
  );
}

/** Says that nobody reads this text until it is translated. */
export function OutdatedNotice(props: { readonly stored: Stored }): JSX.Element {
  const own = (): number | null => {
    const newest = props.stored.versions[0];
    return newest === undefined || newest.is_withdrawn || newest.edition === props.stored.edition
      ? null
      : newest.edition;
  };
  return (
    <Show when={own() !== null}>
      <Notice tone="warn">
        {t(
          "This text is of edition {own}, and users accept edition {edition}. Until you publish its translation, its visitors read another language.",
          { own: own(), edition: props.stored.edition },
        )}
      </Notice>
    </Show>
  );
}

/** By how many users the editions of a page were accepted. */
export function Editions(props: { readonly page: LegalPage; readonly stored: Stored }): JSX.Element {
  const link = (edition: number, text: string): JSX.Element => (
    <PageLink href={`/admin/consents/?page=${props.page}&edition=${edition}`}>{text}</PageLink>
  );
  return (
    <Show when={props.stored.edition > 0}>
      <ul class="plain-list">
        <For each={props.stored.editions}>
          {({ edition, accepted }) => (
            <li>
              {rich("Edition {edition}: {accepted}", {
                edition,
                accepted: link(edition, t("accepted by {count}", { count: shownCount(accepted) })),
              })}
            </li>
          )}
        </For>
        <li>
          {t("{count} active users have yet to accept edition {edition}.", {
            count: shownCount(props.stored.waiting),
            edition: props.stored.edition,
          })}
        </li>
      </ul>
    </Show>
  );
}

/** Every version in this language, the newest first. */
export function Versions(props: { readonly versions: Stored["versions"] }): JSX.Element {
  return (
    <Show when={props.versions.length > 0}>
      <ul class="plain-list">
        <For each={props.versions}>
          {(version) => (
            <li class="muted">
              {rich("Version {version}{edition}{state}, by {updated_by}, {updated_at}", {
                version: version.version,
                edition: version.edition === 0 ? "" : t(", edition {edition}", { edition: version.edition }),
                state: version.is_withdrawn
                  ? t(", withdrawn")
                  : t(", in force since {effective_on}", { effective_on: version.effective_on }),
                updated_by: version.updated_by,
                updated_at: shownMoment(version.updated_at),
              })}
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
