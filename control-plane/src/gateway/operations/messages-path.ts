const messagesPath = "/v1/messages";
const below = `${messagesPath}/`;

/** Whether a path belongs to the Messages API. */
export function isMessagesPath(path: string): boolean {
  return path === messagesPath || path.startsWith(below);
}
