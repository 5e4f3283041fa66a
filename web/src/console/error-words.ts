import { type ErrorDetail, readErrorsWith } from "../api/client.ts";
import { consoleLocale } from "./locales.ts";
import { frameArea } from "./messages/frame.ts";

/** The backend speaks English; from here on, its errors are shown in the user's language if a translation is known. */
export function readErrorsInOwnWords(): void {
  if (consoleLocale !== "en") {
    readErrorsWith(translate);
  }
}

/** Translates errors of the API itself, which the playground calls as programs do. */
export async function sentenceInOwnWords(message: string): Promise<string> {
  return consoleLocale === "en" ? message : (await translate({ code: "", message, status: 0 })).message;
}

async function translate(detail: ErrorDetail): Promise<ErrorDetail> {
  if (detail.code === "offline") {
    return { ...detail, message: frameArea.texts().shell.offline };
  }
  try {
    const { inOwnWords } = await import("./errors/own-words.ts");
    return await inOwnWords(detail);
  } catch {
    // The translations could not be fetched; the backend's sentence is shown.
    return detail;
  }
}
