/**
 * The entry of the one-file build: `sluice <command>`. A word that is not one of its commands goes to the command line
 * of customers and admins, which is part of the file.
 */
import { oneFileCommands } from "./commands.ts";

const nameAt = 2;
const [name = "help"] = process.argv.slice(nameAt);

function help(): string {
  const listed = Object.entries(oneFileCommands).filter(([, { about }]) => about !== null);
  const width = Math.max(...listed.map(([each]) => each.length));
  const lines = listed.map(([each, { about }]) => `  ${each.padEnd(width)}  ${about}`);
  return `Sluice, a gateway to model APIs

On the machine of the service, with DATABASE_URL and the other variables of the service:
${lines.join("\n")}

From anywhere, with an access token:
`;
}

const command = Object.hasOwn(oneFileCommands, name) ? oneFileCommands[name] : undefined;
if (command !== undefined) {
  process.argv.splice(nameAt, 1);
  await command.run();
} else if (name === "--version") {
  await import("./version.ts");
} else {
  if (name === "help" || name === "--help") {
    process.stdout.write(help());
  }
  await import("@sluice/cli/main.ts");
}
