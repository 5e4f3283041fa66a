import type { FrameTexts } from "./en.ts";

export const hi: FrameTexts = {
  skip: "सीधे सामग्री पर जाएँ",
  navigation: "मुख्य मेनू",
  menu: "मेनू",
  models: "मॉडल",
  pricing: "कीमतें",
  docs: "दस्तावेज़",
  enterprise: "कंपनियों के लिए",
  logIn: "लॉग इन करें",
  signUp: "खाता बनाएँ",
  console: "कंसोल",
  language: "भाषा",
  footer: "{brand} आपकी कॉल मॉडल API तक पहुँचाता है और हर कॉल का सही हिसाब रखता है।",
  footerNavigation: "अन्य पेज",
  support: "सहायता",
  poweredBy: "{program} द्वारा संचालित",
  announcement: "सूचना",
  terms: "सेवा की शर्तें",
  privacy: "गोपनीयता नीति",
  imprint: "कानूनी सूचना",
};
