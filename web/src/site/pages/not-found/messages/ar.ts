import type { NotFoundTexts } from "./en.ts";

export const ar: NotFoundTexts = {
  title: "الصفحة غير موجودة",
  description: "لا توجد صفحة في هذا العنوان.",
  heading: "لا توجد صفحة في هذا العنوان",
  text: "ربما نُقلت، أو في العنوان خطأ.",
  home: "إلى الصفحة الرئيسية",
  pricing: "الأسعار",
};
