import type { RowOf } from "@sluice/contracts/lists";
import type { registrationCreditList, registrationSettingsResponse } from "@sluice/contracts/registration";
import type { CreditRefusal, RegistrationMode } from "@sluice/contracts/registration-rules";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../../translate.ts";

export type RegistrationSettings = ResponseOf<typeof registrationSettingsResponse>;
export type Rules = RegistrationSettings["rules"];
export type Invitation = RegistrationSettings["invitations"][number];
export type Credit = RowOf<typeof registrationCreditList>;

export const registrationPath = "/backend/admin/registration/";

export const modeTexts: Readonly<Record<RegistrationMode, string>> = {
  open: t("everybody"),
  domains: t("addresses of some domains, and people with an invitation"),
  invitation: t("people with an invitation"),
  closed: t("nobody"),
};

export const refusalTexts: Readonly<Record<CreditRefusal, string>> = {
  address: t("The address had credit before"),
  network_day: t("Limit of the network for a day"),
  network: t("Limit of the network"),
  device_day: t("Limit of the device for a day"),
  device: t("Limit of the device"),
  day: t("Limit for a day"),
};
