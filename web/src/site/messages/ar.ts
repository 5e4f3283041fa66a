import type { FrameTexts } from "./en.ts";

export const ar: FrameTexts = {
  skip: "تخطَّ إلى المحتوى",
  navigation: "الرئيسية",
  pricing: "الأسعار",
  logIn: "تسجيل الدخول",
  console: "وحدة التحكم",
  language: "اللغة",
  footer: "تمرّر Sluice الطلبات إلى واجهات النماذج، وتحاسب على كل طلب منها.",
};
