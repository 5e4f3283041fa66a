/**
 * Gives code that reads the browser's language a valid one. The chart library does so as soon as it is loaded, and
 * passes it to `Intl`, which throws on an invalid tag; so this is imported before it.
 */
import { soundLanguage } from "../i18n/sound-language.ts";

const sound = soundLanguage(navigator.language);
if (sound !== navigator.language) {
  Object.defineProperty(navigator, "language", { value: sound, configurable: true });
}
