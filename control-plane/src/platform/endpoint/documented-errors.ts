import type { ErrorCode } from "@sluice/contracts/errors";
import { codeOfField, codeOfParameter } from "@sluice/contracts/field-errors";
import { z } from "zod";
import type { Access, AnyEndpoint } from "./model.ts";

const ofEverything: readonly ErrorCode[] = [
  "invalid_value",
  "malformed_request",
  "headers_too_large",
  "method_not_allowed",
  "internal_error",
  "temporarily_unavailable",
];
const ofBodies: readonly ErrorCode[] = ["request_too_large", "request_timeout", "client_closed_request"];
const ofReadBodies: readonly ErrorCode[] = ["csrf_rejected", "unsupported_media_type", "invalid_json"];

const ofTokens: readonly ErrorCode[] = ["ambiguous_credentials", "access_token_refused"];
const ofLogins: readonly ErrorCode[] = [
  ...(["invalid_cookie", "unauthenticated", "session_expired"] as const),
  ...ofTokens,
  ...(["invalid_access_token", "insufficient_scope"] as const),
];

const ofMembers: readonly ErrorCode[] = ["invalid_id", "organisation_refused", "organisation_suspended", "forbidden"];

const ofAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  optional_user: ["invalid_cookie", "unauthenticated", ...ofTokens, ...ofMembers],
  user: [...ofLogins, ...ofMembers],
  admin: [...ofLogins, "role_refused"],
  super_admin: [...ofLogins, "forbidden", "super_admin_required"],
};

/** Every code that an endpoint can return: the kit's, depending on the endpoint, and its declared ones. */
export function errorsOf(endpoint: AnyEndpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...ofEverything, ...ofAccess[endpoint.access], ...endpoint.errors]);
  for (const code of ofRights(endpoint)) {
    codes.add(code);
  }
  for (const code of endpoint.body === "raw" ? [] : codesOfInput(endpoint)) {
    codes.add(code);
  }
  if (endpoint.method === "POST") {
    for (const code of [...ofBodies, ...(endpoint.body === "raw" ? [] : ofReadBodies)]) {
      codes.add(code);
    }
  }
  if (Object.keys(endpoint.params ?? {}).length > 0) {
    codes.add("not_found");
  }
  return [...codes];
}

/** The errors of what an endpoint requires of the login, besides being a user's or an admin's. */
function ofRights(endpoint: AnyEndpoint): readonly ErrorCode[] {
  const { access, freshLogin, guardedFields = [], withoutSecondFactor, withoutConsent } = endpoint;
  const isOfAdmins = access === "admin" || access === "super_admin";
  return [
    ...(access === "user" && withoutConsent !== true ? (["consent_required"] as const) : []),
    ...(isOfAdmins && withoutSecondFactor !== true ? (["second_factor_required"] as const) : []),
    ...(freshLogin === true ? (["step_up_required"] as const) : []),
    ...(guardedFields.length > 0 ? (["super_admin_required", "step_up_required"] as const) : []),
  ];
}

function codesOfInput({ method, input }: AnyEndpoint): readonly ErrorCode[] {
  const names = fieldsOf(input);
  return method === "GET"
    ? ["invalid_parameter", ...names.map(codeOfParameter)]
    : ["unknown_field", ...names.map(codeOfField)];
}

/** The fields that an input may have, in any of its forms. */
function fieldsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) {
    return Object.keys(schema.shape);
  }
  return schema instanceof z.ZodUnion ? schema.options.flatMap((each) => fieldsOf(each as z.ZodType)) : [];
}
