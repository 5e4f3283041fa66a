/** What the head of the document has asked for, by address. */
export type FirstResponses = Map<string, Promise<Response>>;

/** As long as responses of queries are fresh; after that, a page asks itself. */
const freshMs = 15_000;

/** The response to a request that the document sent before the modules of the page were loaded. Each is taken once. */
export function takeFirstResponse(address: string): Promise<Response> | null {
  const { firstResponses: responses } = globalThis as { readonly firstResponses?: FirstResponses };
  const response = responses?.get(address);
  responses?.delete(address);
  return response === undefined || performance.now() > freshMs ? null : response;
}
