/** A request to the card gateway, with its form fields. */
export type CardRequest = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly idempotencyKey: string | null;
  readonly fields: Readonly<Record<string, string>>;
};
