/**
 * Listens at the address of its first two arguments, responds to everything with 200, and prints on stdout what it
 * received.
 */
const [hostname = "127.0.0.1", port = "0"] = process.argv.slice(2);
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const body = '{"ok":true}';

Bun.listen({
  hostname,
  port: Number(port),
  socket: {
    open: () => say("a connection"),
    data: (socket, bytes) => {
      say(`heard ${Buffer.from(bytes).toString("latin1")}`);
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    },
  },
});
say("listening");
