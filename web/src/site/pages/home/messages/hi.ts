import type { HomeTexts } from "./en.ts";

export const hi: HomeTexts = {
  title: "मॉडल API के लिए गेटवे",
  description: "मॉडल API के लिए एक पता और एक कुंजी, साथ में हर कॉल का सटीक हिसाब।",
  heading: "मॉडल API के लिए एक कुंजी, और हर कॉल का सटीक हिसाब",
  lead: "प्रोग्राम किसी भी OpenAI क्लाइंट से {path} पर इस गेटवे तक पहुँचते हैं। कुंजी से कौन-से मॉडल चलेंगे, यह GET /v1/models बताता है।",
  prices: "कीमत देखें",
  logIn: "लॉग इन करें",
  example: "पहली कॉल",
};
