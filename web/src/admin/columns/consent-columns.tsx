import type { ConsentPage } from "@sluice/contracts/brand";
import type { ConsentWay } from "@sluice/contracts/consent-ways";
import type { consentList } from "@sluice/contracts/consents";
import type { RowOf } from "@sluice/contracts/lists";
import type { Column } from "../../table/model.ts";
import { shownText } from "../shown.ts";
import { adminLocale, t } from "../translate.ts";
import { listMoment } from "./list-moment.tsx";

export type ConsentRow = RowOf<typeof consentList>;

export const consentPageNames: Readonly<Record<ConsentPage, string>> = {
  terms: t("Terms of service"),
  privacy: t("Privacy policy"),
};

export const consentWayNames: Readonly<Record<ConsentWay, string>> = {
  registration: t("Registration"),
  login: t("Login"),
  sign_in: t("Sign-in with another service"),
  invitation: t("Invitation to an organisation"),
};

/** The admin has no names of languages in themselves: they are in a file of the console, which would start with it. */
const languages = new Intl.DisplayNames(adminLocale, { type: "language" });

/** Who accepted which edition; without whom on the page of one user. */
export const consentColumns: readonly Column<ConsentRow>[] = [
  { id: "page", label: t("Page"), cell: (row) => consentPageNames[row.page], card: "title" },
  { id: "edition", label: t("Edition"), cell: (row) => row.edition, align: "end" },
  {
    id: "text",
    label: t("Text"),
    cell: (row) => t("{language}, version {version}", { language: languages.of(row.locale), version: row.version }),
  },
  { id: "accepted_at", label: t("Accepted"), cell: (row) => listMoment(row.accepted_at), isSortable: true },
  { id: "way", label: t("Occasion"), cell: (row) => consentWayNames[row.way] },
  { id: "ip", label: t("Address"), cell: (row) => <code>{shownText(row.ip)}</code> },
];
