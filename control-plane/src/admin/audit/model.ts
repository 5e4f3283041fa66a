/** Who did it. */
export type Actor =
  | { readonly kind: "admin" | "user"; readonly id: bigint; readonly name: string }
  | { readonly kind: "command" | "system"; readonly id: null; readonly name: string };

/** A change as the audit log keeps it. `before` and `after` must hold no secret: they are shown to admins as they are. */
export type AuditEntry = {
  readonly actor: Actor;
  /** What was done, like `plan.save`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason?: string;
  readonly requestId?: string;
  readonly ip?: string;
};
