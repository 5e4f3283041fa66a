const names: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Google's name of a status. */
export function statusName(status: number): string {
  return names[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT");
}
