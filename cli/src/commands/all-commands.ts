import type { Command } from "../command.ts";
import { auditCommands } from "./audit.ts";
import { channelCommands } from "./channels.ts";
import { completionCommand } from "./completion.ts";
import { keyCommands } from "./keys.ts";
import { loginCommands } from "./login.ts";
import { usageCommands } from "./usage.ts";
import { userCommands } from "./users.ts";

/** Every command, in the order in which the help lists them. */
export const allCommands: readonly Command[] = [
  ...loginCommands,
  ...keyCommands,
  ...userCommands,
  ...channelCommands,
  ...usageCommands,
  ...auditCommands,
  completionCommand,
];
