import type { NotFoundTexts } from "./en.ts";

export const hi: NotFoundTexts = {
  title: "पेज नहीं मिला",
  description: "इस पते पर कोई पेज नहीं है।",
  heading: "इस पते पर कोई पेज नहीं है",
  text: "शायद पेज कहीं और चला गया है, या पते में कोई गलती है।",
  home: "होम पेज पर जाएँ",
  pricing: "कीमतें",
};
