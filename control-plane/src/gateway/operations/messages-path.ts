const messagesPath = /^\/v1\/messages(?:\/|$)/;

/** Whether a path belongs to the Messages API. */
export function isMessagesPath(path: string): boolean {
  return messagesPath.test(path);
}
