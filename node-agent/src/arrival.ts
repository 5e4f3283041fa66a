/** A request with what the server knows about it. */
export type Arrival = {
  readonly request: Request;
  readonly server: Bun.Server<unknown>;
  readonly requestId: string;
  readonly path: string;
  readonly query: string;
};
