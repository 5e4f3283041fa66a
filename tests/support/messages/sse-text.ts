/** One event in the text of the format; data of several lines becomes several `data` lines. */
export function encodeSseEvent({ event, data }: { readonly event?: string; readonly data: string }): string {
  const name = event === undefined || event === "" ? "" : `event: ${event}\n`;
  return `${name}data: ${data.replace(/\r\n|\r|\n/g, "\ndata: ")}\n\n`;
}
