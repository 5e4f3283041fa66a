/**
 * Lets who reads the language of the browser find one. The chart library does so as soon as it is loaded, and hands it to
 * `Intl`, which throws at what is no tag; so this is imported before it.
 */
import { soundLanguage } from "../i18n/sound-language.ts";

const sound = soundLanguage(navigator.language);
if (sound !== navigator.language) {
  Object.defineProperty(navigator, "language", { value: sound, configurable: true });
}
