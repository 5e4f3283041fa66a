import { expect, test } from "bun:test";
import { connect } from "node:net";
import { forgetPeer, passPeerOn, peerAddress } from "@sluice/control-plane/platform/peer-address.ts";
import { rawRequest } from "../../support/wire/raw-tcp-client.ts";

/** Asks a server from an address and a port of this machine; returns the connection, and whom the server saw. */
async function seenFrom(server: Bun.Server<undefined>, from: { localAddress: string; localPort?: number }) {
  const socket = connect({ host: "127.0.0.1", port: server.port ?? 0, ...from });
  const answered = Promise.withResolvers<string>();
  socket.on("data", (bytes) => answered.resolve(bytes.toString().split("\r\n\r\n")[1] ?? ""));
  socket.on("error", answered.reject);
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const ask = async () => {
    socket.write(rawRequest(["GET / HTTP/1.1", "Host: a"]));
    return await answered.promise;
  };
  return { socket, port: socket.localPort ?? 0, ask };
}

test("nobody takes over the address of a client by having the port of its connection at another address", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, own) => new Response(peerAddress(own, request)),
  });
  const passed = await seenFrom(server, { localAddress: "127.0.0.1" });
  passPeerOn(passed.port, "192.0.2.7");
  const stranger = await seenFrom(server, { localAddress: "127.0.0.2", localPort: passed.port });
  expect(stranger.port).toBe(passed.port);
  expect([await passed.ask(), await stranger.ask()]).toEqual(["192.0.2.7", "127.0.0.2"]);
  forgetPeer(passed.port);
  passed.socket.destroy();
  stranger.socket.destroy();
  await server.stop(true);
});
