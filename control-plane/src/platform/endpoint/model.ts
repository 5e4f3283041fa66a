import type { AdminRole } from "@sluice/contracts/admin-roles";
import type { ErrorCode } from "@sluice/contracts/errors";
import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { AdminLocale } from "@sluice/contracts/locales";
import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { z } from "zod";

/** Who may call: everyone; everyone, with a login recognised if present; only callers with the named login. */
export type Access = "public" | "optional_user" | "user" | "admin" | "super_admin";

export type UserCaller = {
  /** Null for a caller with an access token. */
  readonly sessionId: bigint | null;
  /** The name and number of the access token, if that is what the caller has. */
  readonly tokenName?: string;
  readonly userId: UserId;
  readonly gatewayUserId: GatewayUserId;
  readonly email: string;
  /** The user's language for emails and console. */
  readonly locale: string;
  /** The organisation that the access token is for. */
  readonly tokenOrganisationId?: bigint | null;
  /** The organisation that the caller acts for: `gatewayUserId` is then its account. Absent for the person's own. */
  readonly organisation?: ActingMember;
};

export type ActingMember = {
  readonly organisationId: bigint;
  readonly memberId: bigint;
  readonly role: OrganisationRole;
};

/** Finds out what a user is to an organisation. */
export interface Memberships {
  /** Null unless the user is a member now. */
  find(userId: UserId, organisationId: bigint): Promise<Membership | null>;
}

export type Membership = {
  readonly memberId: bigint;
  readonly role: OrganisationRole;
  /** Members of a suspended organisation only read. */
  readonly isSuspended: boolean;
  readonly gatewayUserId: GatewayUserId;
};

/** Knows what users have to accept before they continue. */
export interface ConsentCheck {
  /** Whether a user has yet to accept the operator's legal pages. */
  isOwedBy(userId: UserId): Promise<boolean>;
}

export type AdminCaller = {
  /** Null for a caller with an access token. */
  readonly sessionId: bigint | null;
  /** The name and number of the access token, if that is what the caller has. */
  readonly tokenName?: string;
  readonly adminId: bigint;
  readonly username: string;
  /** What the admin is; `isSuper` for a super-admin. */
  readonly role: AdminRole;
  /** The language that the admin chose; null for that of the browser. */
  readonly locale: AdminLocale | null;
  readonly isSuper: boolean;
  /** Whether the login is recent enough for actions that require a fresh one, or the access token may do them. */
  readonly isFresh: boolean;
  /** Whether admins need an authenticator and this one has none. */
  readonly lacksSecondFactor: boolean;
};

export type TokenKind = "user" | "admin";

export type TokenCaller<Kind extends TokenKind = TokenKind> = {
  readonly caller: Kind extends "user" ? UserCaller : AdminCaller;
  readonly scopes: readonly string[];
};

/** Identifies the caller by the cookies of a request, or by its access token. */
export interface CallerReader {
  /** Null without a valid session. */
  readUser(request: Request): Promise<UserCaller | null>;
  readAdmin(request: Request): Promise<AdminCaller | null>;
  /** Whether the request carries a cookie of this kind of session, valid or not. */
  carriesSession(request: Request, kind: "user" | "admin"): boolean;
  /** The owner of an access token, with the rights of this moment, and its scopes. Null unless both are valid. */
  readToken<Kind extends TokenKind>(token: string, kind: Kind, ip: string): Promise<TokenCaller<Kind> | null>;
}

type CallerOf<A extends Access> = A extends "user"
  ? { readonly user: UserCaller }
  : A extends "optional_user"
    ? { readonly user: UserCaller | null }
    : A extends "admin" | "super_admin"
      ? { readonly admin: AdminCaller }
      : unknown;

export type CallBase<Input> = {
  /** The checked input: the query of a GET, or the body of any other request. */
  readonly input: Input;
  /** The body as received; empty for a GET. */
  readonly bytes: Uint8Array;
  readonly request: Request;
  readonly requestId: string;
  readonly clientIp: string;
  readonly userAgent: string;
  /** Named parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
};

export type EndpointCall<A extends Access, Input> = CallBase<Input> & CallerOf<A>;

/** What an endpoint returns: the fields beside `"ok": true`, or a complete response. */
export type EndpointResponse = Record<string, unknown> | Response;

/**
 * `json`: the body must be JSON. `beacon`: the same, also with a text type, as browsers send it without a preflight.
 * `form`: JSON or the form of a page that works without JavaScript. `raw`: bytes of any kind, for gateways that sign
 * what they send; `input` is then checked against an empty object.
 */
export type BodyKind = "json" | "beacon" | "form" | "raw";

/** A non-JSON response: a file, a page, or just headers (`type` is null), as for a redirect. */
export type OtherResponse = { readonly status: number; readonly type: string | null; readonly summary: string };

export type Endpoint<A extends Access, Schema extends z.ZodType> = {
  readonly method: "GET" | "POST";
  /** The path with a trailing slash; it is served without it as well. */
  readonly path: string;
  readonly access: A;
  /** For admins: the login must be fresh. */
  readonly freshLogin?: boolean;
  /** For admins: input fields that only a super-admin with a fresh login may send. */
  readonly guardedFields?: readonly string[];
  /** For admins: the endpoint is available before an authenticator is set up. */
  readonly withoutSecondFactor?: boolean;
  /** For users: the endpoint is available before the operator's legal pages are accepted. */
  readonly withoutConsent?: boolean;
  readonly input: Schema;
  /** The kind of body; by default `json`. */
  readonly body?: BodyKind;
  readonly bodyBytesMax?: number;
  /** The status of a success: 200, or 202 if the result arrives later, for example by email. */
  readonly status?: 202;
  /** The content types that a `raw` body can have. */
  readonly rawTypes?: readonly string[];
  /** Named parameters of the path. An invalid one is a 404. */
  readonly params?: Readonly<Record<string, z.ZodType<string>>>;
  /** One sentence for the API description. */
  readonly summary: string;
  /**
   * The fields beside `"ok": true` in JSON, declared with `wireInteger` and `wireMoment`; null if it never returns
   * JSON.
   */
  readonly output: z.ZodType | null;
  readonly otherResponses?: readonly OtherResponse[];
  /**
   * The error codes that the endpoint's service throws. The kit adds its own (login, input, body, method, failures).
   */
  readonly errors: readonly ErrorCode[];
  /** Limits besides those of the body, a sentence each: how often, how much, per whom. */
  readonly limits?: readonly string[];
  readonly handle: (call: EndpointCall<A, z.output<Schema>>) => Promise<EndpointResponse>;
};

/** The common part of every endpoint. */
export type AnyEndpoint = Omit<Endpoint<Access, z.ZodType>, "handle"> & {
  readonly handle: (
    call: CallBase<unknown> & { readonly user?: unknown; readonly admin?: unknown },
  ) => Promise<EndpointResponse>;
};

/** Declares an endpoint. The kit calls it only with the caller and the input that it declares. */
export function endpoint<A extends Access, Schema extends z.ZodType>(definition: Endpoint<A, Schema>): AnyEndpoint {
  return {
    ...definition,
    handle: (call) => definition.handle(call as EndpointCall<A, z.output<Schema>>),
  };
}
