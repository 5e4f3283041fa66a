/**
 * Runs the program that draws the public pages. It is part of the build under the name of the pages, which the service
 * names as the only argument.
 */
const embeddedRoot = "/$bunfs/root/web/dist/";

const [path = ""] = process.argv.slice(2);
if (!path.startsWith(embeddedRoot)) {
  throw new Error("only the service calls this command");
}
await import(path);
