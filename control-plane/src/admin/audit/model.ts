/** Who made a change. */
export type Actor =
  | {
      readonly kind: "admin" | "user";
      readonly id: bigint;
      readonly name: string;
      /** The access token with which it was done, if any. */
      readonly token?: string | undefined;
    }
  | { readonly kind: "command" | "system"; readonly id: null; readonly name: string; readonly token?: undefined };

/** Who changed something, and in which request. */
export type AuditOrigin = { readonly actor: Actor; readonly requestId?: string; readonly ip?: string };

/** An entry of the audit log. `before` and `after` must hold no secret: admins see them as they are. */
export type AuditChange = {
  readonly subjectKind: string;
  readonly subjectId: string | bigint;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Empty, null or undefined if the caller gave no reason. */
  readonly reason?: string | null | undefined;
};
