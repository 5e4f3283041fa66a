import { usePageTitle } from "../shell/page-title.ts";
import { frameArea } from "./messages/frame.ts";

/** Names the document after a page of the console. */
export function useConsoleTitle(page: () => string): void {
  usePageTitle(page, frameArea.texts().console.title);
}
