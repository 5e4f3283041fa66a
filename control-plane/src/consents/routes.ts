import { emptyResponse } from "@sluice/contracts/accounts";
import { acceptConsentsInput, consentsResponse } from "@sluice/contracts/consents";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { pageLocaleOf } from "../platform/page-locale.ts";
import type { Consents } from "./service.ts";

/** Where users learn what they have to accept, and accept it. Until then, their logins open nothing else. */
export function consentEndpoints(consents: Consents): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/auth/consents/",
      access: "user",
      withoutConsent: true,
      input: z.strictObject({}),
      summary:
        "Get the legal pages that the user has yet to accept, with what is different and what the user accepted before; until then a login opens nothing else, while API keys and access tokens keep working",
      output: consentsResponse,
      errors: [],
      handle: async ({ user, request }) => ({
        asked: await consents.ask(user.userId, pageLocaleOf(request, user.locale)),
      }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/consents/accept/",
      access: "user",
      withoutConsent: true,
      input: acceptConsentsInput,
      summary: "Accept legal pages as they were shown; a repetition changes nothing",
      output: emptyResponse,
      errors: ["version_conflict"],
      handle: async ({ user, input, clientIp, requestId }) => {
        const { sessionId } = user;
        if (sessionId === null) {
          throw new AppError("access_token_refused");
        }
        await consents.accept({ ...user, sessionId }, input, { ip: clientIp, requestId });
        return {};
      },
    }),
  ];
}
