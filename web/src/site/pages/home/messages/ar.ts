import type { HomeTexts } from "./en.ts";

export const ar: HomeTexts = {
  title: "بوابة إلى واجهات النماذج",
  description: "عنوان واحد ومفتاح واحد لواجهات النماذج، مع حساب دقيق لكل طلب.",
  heading: "مفتاح واحد لواجهات النماذج، وحساب دقيق لكل طلب",
  lead: "تصل البرامج إلى هذه البوابة عبر {path} بأي عميل من عملاء OpenAI. ويخبرك GET /v1/models بالنماذج المتاحة للمفتاح.",
  prices: "كم يكلّف",
  logIn: "تسجيل الدخول",
  example: "أول طلب",
};
