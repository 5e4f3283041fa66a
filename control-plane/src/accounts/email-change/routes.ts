import { changeEmailInput, emptyResponse } from "@sluice/contracts/accounts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import { limitSentences } from "../attempts/limit-sentences.ts";
import { type AccountRouteDeps, originOf } from "../route-deps.ts";
import { proofErrors, proofLimits } from "../sign-in/account-routes.ts";

/** How users change their address; the links in the mails lead to the page that verifies addresses. */
export function emailChangeEndpoints({
  emailChange,
  links,
}: Pick<AccountRouteDeps, "emailChange" | "links">): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/email/change/",
      access: "user",
      status: 202,
      input: changeEmailInput,
      summary: "Send a link to a new address of the account; the response does not reveal whether somebody has it",
      output: emptyResponse,
      limits: [...limitSentences.mail, ...proofLimits],
      errors: ["invalid_email", ...proofErrors],
      handle: async (call) => {
        const { email, ...proof } = call.input;
        const origin = originOf(call);
        if (call.user.sessionId === null) {
          throw new AppError("step_up_required");
        }
        await links.prove(call.user, proof, origin);
        await emailChange.begin(call.user, email, origin);
        return {};
      },
    }),
  ];
}
