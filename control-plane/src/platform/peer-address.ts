/** Connections that are passed on come from this address. Another program may have the same port at any other one. */
export const passingAddress = "127.0.0.1";

/** The addresses of clients whose connections another listener of this process passes on, by the port they come from. */
const passedOn = new Map<number, string>();

/** Names the client of a connection that this process opens to its own server, before anything is sent on it. */
export function passPeerOn(port: number, address: string): void {
  passedOn.set(port, address);
}

/** Called when that connection is closed. */
export function forgetPeer(port: number): void {
  passedOn.delete(port);
}

/** The address at the other end of a request's connection. */
export function peerAddress(server: Bun.Server<unknown> | null, request: Request): string {
  const peer = server?.requestIP(request);
  if (peer === null || peer === undefined) {
    return "0.0.0.0";
  }
  const isPassedOn = passedOn.size > 0 && peer.address === passingAddress;
  return (isPassedOn ? passedOn.get(peer.port) : undefined) ?? peer.address;
}
