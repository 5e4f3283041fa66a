import { quotaPerUsd } from "@sluice/contracts/money";
import { buildFacts } from "../platform/build-facts.ts";
import type { Probes } from "./routes.ts";

/** What this service is called, and where it is; null where that is not configured. */
export type ServiceFacts = { readonly name: string; readonly address: string | null };

/**
 * The status of one-api and new-api, which chat clients and uptime checks read to find out what they talk to and what a
 * unit of quota is worth. Fields of things that are not here are off.
 */
export function peerStatusRoutes(factsOf: () => ServiceFacts, startedAt: Date): Probes {
  const answer = async (): Promise<Response> => {
    const { name, address } = factsOf();
    const data = {
      version: buildFacts.version,
      start_time: Math.floor(startedAt.getTime() / 1_000),
      system_name: name,
      logo: "",
      footer_html: "",
      quota_per_unit: Number(quotaPerUsd),
      display_in_currency: true,
      server_address: address ?? "",
      top_up_link: address === null ? "" : `${address.replace(/\/$/, "")}/console/`,
      chat_link: "",
      email_verification: true,
      turnstile_check: false,
      turnstile_site_key: "",
      github_oauth: false,
      github_client_id: "",
      wechat_login: false,
      wechat_qrcode: "",
      oidc: false,
    };
    return Response.json(
      { success: true, message: "", data },
      {
        headers: {
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          // It says nothing that the public pages don't, and apps in a browser ask for it.
          "access-control-allow-origin": "*",
        },
      },
    );
  };
  return { "/api/status": answer, "/api/status/": answer };
}
