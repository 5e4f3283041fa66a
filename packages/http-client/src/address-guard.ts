/** A server by its name or address, and its port. */
export type ServerPlace = { readonly hostname: string; readonly port: number };

/** Decides where connections may go. */
export interface AddressGuard {
  /**
   * The addresses of a server, in the order in which they are tried.
   * @throws an Error whose message says why there is no address
   */
  addressesOf(server: ServerPlace): Promise<readonly string[]>;
}
