/** Who did it. */
export type Actor =
  | { readonly kind: "admin" | "user"; readonly id: bigint; readonly name: string }
  | { readonly kind: "command" | "system"; readonly id: null; readonly name: string };

/** Who changed something, and in which request. */
export type AuditOrigin = { readonly actor: Actor; readonly requestId?: string; readonly ip?: string };

/** A change as the audit log keeps it. `before` and `after` must hold no secret: they are shown to admins as they are. */
export type AuditChange = {
  readonly subjectKind: string;
  readonly subjectId: string | bigint;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Empty, null or undefined where nobody gave one. */
  readonly reason?: string | null | undefined;
};
