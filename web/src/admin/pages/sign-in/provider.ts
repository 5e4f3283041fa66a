import type { providerListResponse } from "@sluice/contracts/sign-in";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../../translate.ts";

export type Providers = ResponseOf<typeof providerListResponse>;
export type Provider = Providers["providers"][number];

export const providersPath = "/backend/admin/sign-in-provider/";
export const providerListPath = `${providersPath}list/`;

export const kindNames: Readonly<Record<Provider["kind"], string>> = { oidc: t("OpenID Connect"), github: "GitHub" };
