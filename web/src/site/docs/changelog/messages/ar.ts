import type { ChangelogTexts } from "./en.ts";

export const ar: ChangelogTexts = {
  title: "تغييرات الواجهة البرمجية",
  description: "ما تغيّر للبرامج التي تستدعي الواجهة البرمجية، الأحدث أولًا، وكذلك كموجز.",
  lead: "ما تغيّر للبرامج التي تستدعي الواجهة البرمجية، الأحدث أولًا. لا شيء هنا يعطّل طلبًا كان يعمل من قبل. المشغّل هو من يقرر متى يثبّت إصدارًا جديدًا.",
  feed: "تابع هذه التغييرات في [موجز]({feed}) (Atom).",
  change: {
    errorLink: "في ردود الأخطاء ترويسة `Link` تقود إلى [صفحة الأخطاء](/docs/errors/)، عند رمز هذا الخطأ.",
    capabilities:
      "تذكر [قائمة النماذج](/models/) ما يستطيعه كل نموذج، وتُرتَّب حسب أي عمود، وتعرض أسعار مجموعتك بعد تسجيل الدخول.",
    tags: "يمكن أن تحمل الطلبات وسومًا في الترويسة `x-sluice-tags`، وأن تسمي المستخدم النهائي في `safety_identifier` أو `user` أو `metadata.user_id`. ويُجمع الاستخدام حسب كليهما.",
    organisations: "يمكن لعدة أشخاص أن يتشاركوا رصيدًا واحدًا كمؤسسة. وتسميها البرامج في الترويسة `x-organisation`.",
    fallback:
      "إذا أجاب نموذج آخر بدل الذي طلبته فإن `x-sluice-model-used` يسميه. و`x-sluice-fallback: off` يرفض ذلك لطلب واحد.",
    cache: "يمكن للمفاتيح أن تجيب عن الطلبات المتكررة من ردود محفوظة. ويبيّن `x-sluice-cache` هل الرد منها.",
    cohere: "يقبل `/v2/rerank` طلبات عملاء Cohere.",
    gemini: "يعمل عملاء Gemini على `/v1beta`: ‏`:generateContent` و`:streamGenerateContent` و`:countTokens` والتضمينات.",
    convert:
      "تعمل Chat completions وResponses وMessages مع كل نماذج المحادثة: تُحوَّل الطلبات حين لا يتكلم المزوّد إلا إحدى هذه الواجهات. ويسمي `x-sluice-dropped` و`x-compat-dropped` ما أُسقط.",
    ending:
      "في ردود النموذج المتقادم الترويستان `Deprecation` و`Sunset`، وكذلك في `/v1/models`. ويُرفض النموذج المنتهي بالرمز `model_ended`.",
    keyUsage: "تبيّن `/v1/usage` و`/v1/credits` و`/v1/key` ما أنفقه المفتاح وما يمكنه إنفاقه بعد.",
    first: "الإصدار الأول 0.1.0: ‏`/v1` لعملاء OpenAI و`/msgcompat` لعملاء Anthropic.",
  },
};
