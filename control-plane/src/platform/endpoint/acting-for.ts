import {
  allowsRole,
  type OrganisationRole,
  organisationHeader,
  organisationParameter,
} from "@sluice/contracts/organisation-rights";
import { isAllowedSuspended, organisationRuleOf } from "@sluice/contracts/organisation-rules";
import { tokenRuleOf } from "@sluice/contracts/token-scopes";
import { AppError } from "../errors.ts";
import type { AnyEndpoint, Membership, Memberships, UserCaller } from "./model.ts";

const idPattern = /^[1-9]\d{0,17}$/;

/** The organisation that a request names; null for the account of the person. @throws AppError `invalid_id` */
export function readOrganisation(request: Request): bigint | null {
  const named = request.headers.get(organisationHeader) ?? new URL(request.url).searchParams.get(organisationParameter);
  if (named === null || named === "") {
    return null;
  }
  if (!idPattern.test(named)) {
    throw new AppError("invalid_id", { message: `'${organisationHeader}' is not the id of an organisation.` });
  }
  return BigInt(named);
}

/**
 * The caller as the organisation that the request names, if any: checked for each request, so that nobody acts for one
 * that they have left. For a suspended one, logins read, and end what is charged; access tokens do nothing. This is the only place where that is
 * decided.
 * @throws AppError `invalid_id`, `organisation_refused` without a membership, `organisation_suspended`, `forbidden` for
 * what the role does not allow
 */
export async function actForOrganisation(
  endpoint: Pick<AnyEndpoint, "path" | "method">,
  user: UserCaller,
  request: Request,
  memberships: Memberships,
): Promise<UserCaller> {
  const bound = user.tokenOrganisationId ?? null;
  const named = readOrganisation(request);
  if (user.tokenName !== undefined && named !== null && named !== bound) {
    throw new AppError("organisation_refused", { message: "This access token is not for this organisation." });
  }
  const organisationId = bound ?? named;
  if (organisationId === null) {
    return user;
  }
  const rule = organisationRuleOf(endpoint.path);
  const isOfPerson = rule === "person" && (bound === null || tokenRuleOf(endpoint.path) === "any");
  if (isOfPerson && bound === null) {
    return user;
  }
  const membership = await memberships.find(user.userId, organisationId);
  if (membership === null) {
    throw new AppError("organisation_refused");
  }
  const isHarmless = endpoint.method === "GET" || isAllowedSuspended(endpoint.path);
  refuseSuspended(membership, bound !== null || !isHarmless);
  if (isOfPerson) {
    return user;
  }
  // The token of an organisation does nothing for the person who made it.
  if (rule === "person" || !allowsRole(membership.role, rule)) {
    throw new AppError("forbidden", { message: refusalOf(membership.role, rule) });
  }
  const { gatewayUserId, memberId, role } = membership;
  return { ...user, gatewayUserId, organisation: { organisationId, memberId, role } };
}

function refuseSuspended({ isSuspended }: Membership, doesMoreThanRead: boolean): void {
  if (isSuspended && doesMoreThanRead) {
    throw new AppError("organisation_suspended");
  }
}

function refusalOf(role: OrganisationRole, rule: string): string {
  return rule === "refused" || rule === "person"
    ? "This can't be done for an organisation."
    : `Your role in this organisation, ${role}, does not allow this.`;
}
