import type { UnavailableTexts } from "./en.ts";

export const hi: UnavailableTexts = {
  title: "अभी उपलब्ध नहीं",
  description: "यह पेज अभी नहीं दिखाया जा सकता।",
  heading: "यह पेज अभी नहीं दिखाया जा सकता",
  text: "हमारी तरफ़ कुछ गड़बड़ हुई है, या सेवा पर काम चल रहा है। एक मिनट बाद फिर कोशिश करें।",
  again: "फिर कोशिश करें",
};
