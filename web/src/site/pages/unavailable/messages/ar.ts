import type { UnavailableTexts } from "./en.ts";

export const ar: UnavailableTexts = {
  title: "غير متاح الآن",
  description: "لا يمكن عرض هذه الصفحة الآن.",
  heading: "لا يمكن عرض هذه الصفحة الآن",
  text: "حدث خطأ من جهتنا، أو أن الخدمة قيد الصيانة. أعد المحاولة بعد دقيقة.",
  again: "إعادة المحاولة",
};
