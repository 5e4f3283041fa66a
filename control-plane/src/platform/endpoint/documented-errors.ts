import type { ErrorCode } from "@sluice/contracts/errors";
import type { Access, AnyEndpoint } from "./model.ts";

const ofEverything: readonly ErrorCode[] = [
  "invalid_value",
  "malformed_request",
  "method_not_allowed",
  "internal_error",
  "temporarily_unavailable",
];
const ofBodies: readonly ErrorCode[] = ["request_too_large", "request_timeout", "client_closed_request"];
const ofReadBodies: readonly ErrorCode[] = ["csrf_rejected", "unsupported_media_type", "invalid_json"];

const ofLogins: readonly ErrorCode[] = ["invalid_cookie", "unauthenticated", "session_expired"];

const ofAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  optional_user: ["invalid_cookie"],
  user: ofLogins,
  admin: [...ofLogins, "forbidden"],
  super_admin: [...ofLogins, "forbidden"],
};

/** Every code that an endpoint can answer with: those of the kit, by what it is, and those that it declares. */
export function errorsOf(endpoint: AnyEndpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...ofEverything, ...ofAccess[endpoint.access], ...(endpoint.errors ?? [])]);
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
