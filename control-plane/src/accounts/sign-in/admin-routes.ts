import { emptyResponse } from "@sluice/contracts/accounts";
import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  providerListResponse,
  removeProviderInput,
  savedProviderResponse,
  saveProviderInput,
  testedProviderResponse,
  testProviderInput,
} from "@sluice/contracts/sign-in";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { AccountRouteDeps } from "../route-deps.ts";
import type { Issuers } from "./issuers.ts";
import { removeProvider } from "./save-provider.ts";

type Parts = Pick<AccountRouteDeps, "db" | "approvals" | "acts" | "providers"> & { readonly issuers: Issuers };

/** Where users may sign in other than here. */
export function signInAdminEndpoints({ db, approvals, acts, providers, issuers }: Parts): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/sign-in-provider/list/"),
      input: z.strictObject({}),
      summary: "List the services where users can sign in",
      output: providerListResponse,
      errors: [],
      handle: async () => ({ providers: await providers.list(), callback_base: providers.callbackUrl("") }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/sign-in-provider/test/"),
      input: testProviderInput,
      summary: "Fetch the published metadata of an issuer",
      output: testedProviderResponse,
      errors: ["issuer_unusable"],
      handle: async ({ input }) => {
        const {
          authorization_endpoint,
          token_endpoint,
          code_challenge_methods_supported: methods,
        } = await issuers.test(input);
        return { authorization_endpoint, token_endpoint, has_pkce: methods?.includes("S256") ?? null };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/sign-in-provider/save/"),
      input: saveProviderInput,
      summary: "Create or change a service where users can sign in; one that is switched on has to respond first",
      output: savedProviderResponse,
      limits: [
        "With admin.second_person_above_usd it waits until another super-admin has approved it, unless it is switched off.",
      ],
      errors: ["issuer_unusable", "secret_required", "conflict"],
      handle: async (call) => {
        if (call.input.is_enabled) {
          await issuers.test(call.input);
        }
        const answer = await approvals.carryOut(acts.saveProvider, call.input, call);
        providers.forget();
        return answer;
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/sign-in-provider/remove/"),
      input: removeProviderInput,
      summary: "Remove a service that is switched off, with its secret; links of users are kept for its issuer",
      output: emptyResponse,
      errors: ["not_found", "conflict"],
      handle: async ({ input, ...call }) => {
        await removeProvider(db, { ...input, call });
        providers.forget();
        return {};
      },
    }),
  ];
}
