/**
 * The only table of error codes. Each row defines what a client of any dialect sees: the HTTP status, the OpenAI
 * `type`, the Anthropic `type` (and its status where that dialect differs), and a sentence that is safe to show.
 * Internal details never go into this table; the log has them, together with the request id.
 */
export type ErrorDefinition = {
  readonly status: number;
  readonly openaiType: string;
  readonly anthropicType: string;
  readonly anthropicStatus?: number;
  readonly message: string;
};

const invalid = (status: number, message: string): ErrorDefinition => ({
  status,
  openaiType: "invalid_request_error",
  anthropicType: status === 404 ? "not_found_error" : "invalid_request_error",
  message,
});

const server = (status: number, message: string, anthropic?: { type: string; status: number }): ErrorDefinition => ({
  status,
  openaiType: "server_error",
  anthropicType: anthropic?.type ?? "api_error",
  ...(anthropic ? { anthropicStatus: anthropic.status } : {}),
  message,
});

const overloaded = { type: "overloaded_error", status: 529 };
const timedOut = { type: "timeout_error", status: 504 };

const authentication = (message: string): ErrorDefinition => ({
  status: 401,
  openaiType: "authentication_error",
  anthropicType: "authentication_error",
  message,
});

const permission = (message: string): ErrorDefinition => ({
  status: 403,
  openaiType: "permission_error",
  anthropicType: "permission_error",
  message,
});

const rateLimit = (message: string): ErrorDefinition => ({
  status: 429,
  openaiType: "rate_limit_error",
  anthropicType: "rate_limit_error",
  message,
});

export const errorTable = {
  missing_api_key: authentication("No API key was sent. Send it as 'Authorization: Bearer <key>'."),
  invalid_api_key: authentication("The API key is not valid."),
  ambiguous_credentials: invalid(400, "Two different API keys were sent. Send one."),
  account_disabled: permission("This account is disabled."),
  key_locked: permission("The operator has locked this API key."),
  group_unavailable: permission(
    "This API key uses a group that your account does not have. Choose another group for the key.",
  ),
  ip_not_allowed: permission("This API key can't be used from this IP address."),
  insufficient_quota: {
    status: 429,
    openaiType: "insufficient_quota",
    anthropicType: "billing_error",
    anthropicStatus: 402,
    message: "The remaining balance does not cover this call.",
  },
  spend_limit_reached: {
    status: 429,
    openaiType: "insufficient_quota",
    anthropicType: "rate_limit_error",
    message: "Your account has reached the most that it can spend for now.",
  },
  rate_limit_exceeded: rateLimit("The rate limit of this API key has been reached."),
  invalid_json: invalid(400, "The request body is not valid JSON."),
  unsupported_media_type: invalid(415, "The content type is not supported here."),
  unsupported_encoding: invalid(415, "Compressed request bodies are not supported."),
  request_too_large: {
    status: 413,
    openaiType: "invalid_request_error",
    anthropicType: "request_too_large",
    message: "The request body is larger than the limit.",
  },
  missing_field: invalid(400, "A required field is missing."),
  model_ended: invalid(404, "The model has ended."),
  model_not_found: invalid(404, "The model does not exist, or this API key can't use it."),
  invalid_value: invalid(400, "A field has a value that is not allowed."),
  invalid_type: invalid(400, "A field has the wrong type."),
  unknown_field: invalid(400, "A field is unknown."),
  unpriced_option: invalid(400, "An option changes the cost of the call and has no price here."),
  provider_object: invalid(400, "Objects stored in the provider's account can't be used here."),
  method_not_allowed: invalid(405, "This method is not allowed on this path."),
  malformed_request: invalid(400, "The request is not well-formed HTTP."),
  upgrade_required: invalid(426, "This path requires a WebSocket client."),
  session_ended: invalid(408, "The session has ended."),
  not_found: invalid(404, "There is nothing at this path."),
  loop_detected: server(508, "The request came back to the service that sent it."),
  unauthorized: authentication("The relay key of this exit node is missing or not valid."),
  stale_challenge: authentication("The challenge is too old, or was already answered."),
  upstream_not_allowed: permission("This exit node does not call this target."),
  no_upstream: server(503, "No provider can serve this model right now.", overloaded),
  upstream_rate_limited: rateLimit("The provider is rate-limiting calls right now."),
  upstream_error: server(502, "The provider failed."),
  upstream_unreachable: server(502, "The provider could not be reached."),
  upstream_timeout: server(504, "The provider did not respond in time.", timedOut),
  upstream_rejected: invalid(400, "The provider rejected the request."),
  stream_interrupted: server(502, "The provider interrupted the response."),
  request_timeout: invalid(408, "The request body did not arrive in time."),
  client_closed_request: invalid(499, "The client closed the connection."),
  temporarily_unavailable: server(503, "The service can't check this request right now. Try again.", overloaded),
  storage_unavailable: server(503, "The service can't record usage right now. Try again.", overloaded),
  shutting_down: server(503, "This instance is shutting down. Try again.", overloaded),
  unauthenticated: authentication("Log in first."),
  session_expired: authentication("Your session has ended. Log in again."),
  invalid_access_token: authentication("This access token is unknown, expired or revoked, or not meant for this."),
  access_token_refused: permission("Access tokens can't do this. Log in."),
  insufficient_scope: permission("This access token does not have the scope for this."),
  too_many_tokens: invalid(409, "This account has 20 live access tokens. Revoke one first."),
  invalid_credentials: authentication("The login or password is incorrect."),
  invalid_code: authentication("The code is incorrect or was already used."),
  invalid_email: invalid(400, "Enter a valid e-mail address."),
  invalid_password: invalid(400, "This password can't be used."),
  secret_required: invalid(400, "Enter the credential again: the address it is sent to has changed."),
  invalid_parameter: invalid(400, "A query parameter has a value that is not allowed."),
  invalid_id: invalid(400, "This is not a valid ID."),
  invalid_name: invalid(400, "This name can't be used."),
  invalid_amount: invalid(400, "This amount can't be used."),
  unsupported_currency: invalid(400, "This currency is not offered."),
  headers_too_large: invalid(431, "The headers of the request are larger than the limit."),
  invalid_multiplier: invalid(400, "This multiplier can't be used."),
  self_forbidden: invalid(409, "You can't do this to your own account."),
  invalid_cookie: invalid(400, "The same cookie was sent twice."),
  code_required: authentication("Enter the code from your authenticator."),
  forbidden: permission("You are not allowed to do this."),
  registration_closed: permission("New accounts can't be created here."),
  domain_refused: permission("Addresses of this domain can't register here."),
  invitation_required: permission("You need an invitation to register here."),
  invitation_unusable: invalid(400, "This invitation does not exist, has expired or was used up."),
  proof_required: invalid(400, "The proof of work is missing, wrong or too old. Solve a new challenge."),
  organisation_refused: permission("You are not a member of this organisation."),
  organisation_suspended: permission("This organisation is suspended. You can read its data and change nothing."),
  organisation_limit: invalid(409, "This organisation has reached its limit of these."),
  last_owner: invalid(409, "An organisation needs at least one owner."),
  super_admin_required: permission("Only a super-admin can do this."),
  role_refused: permission("Your role does not allow this."),
  second_factor_required: permission("Admins must have an authenticator here. Set one up first, under your account."),
  consent_required: permission("Accept the current terms of this service first: open the console, which shows them."),
  email_not_verified: permission("The e-mail address is not verified yet."),
  csrf_rejected: permission("The request does not come from a page of this service."),
  too_many_attempts: rateLimit("Too many attempts. Try again later."),
  setting_fixed: invalid(409, "This setting is set by the environment and can't be changed here."),
  reason_required: invalid(400, "Give a reason for reading the payload."),
  step_up_required: permission("This requires a recent login. Log in again."),
  payload_not_stored: invalid(404, "The contents of this call were not stored."),
  payload_expired: invalid(410, "The contents of this call were destroyed at the end of their retention."),
  payload_reading_off: permission("Reading the contents of calls is not switched on here."),
  payload_too_early: permission("This call began before reading the contents of calls was switched on."),
  audit_unavailable: server(503, "The access can't be recorded right now, so nothing is shown. Try again."),
  decrypt_failed: server(500, "The contents of this call can't be decrypted."),
  invalid_token: invalid(400, "This link is no longer valid. Request a new one."),
  sign_in_failed: invalid(400, "The sign-in was not completed. Try again."),
  sign_in_unavailable: server(503, "The sign-in service did not respond as expected. Try again later."),
  address_unverified: permission("The sign-in service does not confirm that the e-mail address is yours."),
  account_exists: invalid(409, "This address has an account that is not verified yet. Reset its password to use it."),
  not_registered: permission("This sign-in does not belong to an account, and it can't create one."),
  sign_in_taken: invalid(409, "This sign-in belongs to another account."),
  last_sign_in: invalid(409, "You could not log in without it. Set a password or add another sign-in first."),
  too_many_sign_ins: invalid(409, "This account has 10 linked sign-ins. Remove one first."),
  passkey_failed: invalid(400, "The passkey could not be checked. Try again."),
  passkey_unknown: invalid(404, "This passkey is not registered here, or was removed."),
  passkey_copied: permission(
    "This passkey seems to have been copied, so it can't be used. Remove it from your account.",
  ),
  passkey_taken: invalid(409, "This passkey is already registered."),
  too_many_passkeys: invalid(409, "This account has 10 passkeys. Remove one first."),
  passkeys_unavailable: invalid(409, "Passkeys need a service whose address is a domain name."),
  closing_blocked: invalid(409, "Something has to be settled before the account can be closed."),
  balance_changed: invalid(409, "The balance is higher than the one that was shown. Reload and try again."),
  issuer_unusable: invalid(409, "The issuer can't be used."),
  conflict: invalid(409, "Someone else changed it, or it already exists. Reload and try again."),
  version_conflict: invalid(409, "Someone changed it since you loaded it. Reload and try again."),
  invalid_relay_url: invalid(400, "This can't be the address of an exit node."),
  dns_mismatch: invalid(409, "The host must resolve to the node's address and nothing else."),
  health_failed: invalid(409, "The node did not prove at this address that it is healthy and holds the relay key."),
  too_many_keys: invalid(409, "This account has 100 live API keys. Revoke one first."),
  too_broad: invalid(422, "This covers too much. Narrow the time range or add a filter."),
  idempotency_mismatch: invalid(422, "This idempotency key was used for another request."),
  in_progress: invalid(409, "The same request is still in progress. Try again in a moment."),
  last_admin: invalid(409, "At least one person must keep this right."),
  invalid_signature: invalid(400, "The signature is not valid."),
  timestamp_out_of_range: invalid(400, "The message is too old, or from the future."),
  account_mismatch: invalid(400, "The message is for another account."),
  event_conflict: invalid(409, "An earlier message with this ID had different content."),
  order_not_found: invalid(404, "This order does not exist."),
  webhook_not_configured: server(503, "Messages from this gateway can't be received: it is not configured."),
  gateway_not_configured: server(503, "This payment method is not configured."),
  payment_gateway_failed: server(
    502,
    "The payment provider did not accept the request. Try again, or use another payment method.",
  ),
  payment_unconfirmed: invalid(400, "The payment provider does not confirm this payment."),
  not_offered: invalid(403, "This is not offered here."),
  coupon_unknown: invalid(404, "This coupon does not exist."),
  coupon_ended: invalid(409, "This coupon is no longer valid."),
  coupon_used_up: invalid(409, "This coupon has reached its limit of uses."),
  coupon_not_applicable: invalid(409, "This coupon can't be used for this purchase."),
  internal_error: server(500, "Something went wrong on our side."),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;

/** The definition of a code, with a wide type, so that optional columns can be read. */
export function errorDefinition(code: ErrorCode): ErrorDefinition {
  return errorTable[code];
}
