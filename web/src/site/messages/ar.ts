import type { FrameTexts } from "./en.ts";

export const ar: FrameTexts = {
  skip: "تخطَّ إلى المحتوى",
  navigation: "القائمة الرئيسية",
  menu: "القائمة",
  models: "النماذج",
  pricing: "الأسعار",
  docs: "التوثيق",
  enterprise: "للشركات",
  logIn: "تسجيل الدخول",
  signUp: "إنشاء حساب",
  console: "وحدة التحكم",
  language: "اللغة",
  footer: "تمرّر {brand} الطلبات إلى واجهات النماذج، وتحاسب على كل طلب منها.",
  footerNavigation: "صفحات أخرى",
  support: "الدعم",
  poweredBy: "يعمل بواسطة {program}",
  announcement: "إعلان",
  terms: "شروط الخدمة",
  privacy: "سياسة الخصوصية",
  imprint: "إشعار قانوني",
};
