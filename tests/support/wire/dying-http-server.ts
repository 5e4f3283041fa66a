/**
 * Answers every request with "hello" and resets all its connections when a line arrives on its input. Then it creates the file
 * that it was given.
 */
import { writeFileSync } from "node:fs";

const [, , done] = process.argv;
const sockets = new Set<Bun.Socket>();
const listener = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open: (socket) => {
      sockets.add(socket);
    },
    data: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    },
    close: (socket) => {
      sockets.delete(socket);
    },
    error: () => undefined,
  },
});
process.stdout.write(`${listener.port}\n`);
for await (const _line of Bun.stdin.stream()) {
  for (const socket of sockets) {
    socket.terminate();
  }
  if (done !== undefined) {
    writeFileSync(done, "");
  }
}
// The parent process is gone.
process.exit();
