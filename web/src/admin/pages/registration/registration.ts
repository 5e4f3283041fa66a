import type { RowOf } from "@sluice/contracts/lists";
import type { registrationCreditList, registrationSettingsResponse } from "@sluice/contracts/registration";
import type { CreditRefusal, RegistrationMode } from "@sluice/contracts/registration-rules";
import type { ResponseOf } from "@sluice/contracts/wire";

export type RegistrationSettings = ResponseOf<typeof registrationSettingsResponse>;
export type Rules = RegistrationSettings["rules"];
export type Invitation = RegistrationSettings["invitations"][number];
export type Credit = RowOf<typeof registrationCreditList>;

export const registrationPath = "/backend/admin/registration/";

export const modeTexts: Readonly<Record<RegistrationMode, string>> = {
  open: "everybody",
  domains: "addresses of some domains, and people with an invitation",
  invitation: "people with an invitation",
  closed: "nobody",
};

export const refusalTexts: Readonly<Record<CreditRefusal, string>> = {
  address: "The address had credit before",
  network_day: "Limit of the network for a day",
  network: "Limit of the network",
  device_day: "Limit of the device for a day",
  device: "Limit of the device",
  day: "Limit for a day",
};
