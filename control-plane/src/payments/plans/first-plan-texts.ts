import type { Locale } from "@sluice/contracts/locales";
import type { PlanTexts } from "@sluice/contracts/plan-texts";

type Code = "credit-10" | "credit-50" | "monthly-20" | "credit-any";
type Words = {
  readonly plans: Readonly<Record<Code, readonly [name: string, description: string]>>;
  readonly features: { readonly models: string; readonly usage: string; readonly once: string };
};

/** The first plans in the languages of the product; in English they are in `plans.ts`. */
const words: Readonly<Record<Exclude<Locale, "en">, Words>> = {
  zh: {
    plans: {
      "credit-10": ["充值 10", "10 美元余额，永不过期。"],
      "credit-50": ["充值 50", "支付 50 美元，获得 52 美元余额。"],
      "monthly-20": ["包月 20", "一个月内可用的 24 美元余额，未用部分到期作废。"],
      "credit-any": ["自选金额", "按您选择的金额充值，余额永不过期。"],
    },
    features: { models: "全部模型", usage: "按量付费", once: "不自动续订" },
  },
  ja: {
    plans: {
      "credit-10": ["チャージ 10", "有効期限のない 10 米ドル分の残高。"],
      "credit-50": ["チャージ 50", "50 米ドルで 52 米ドル分の残高。"],
      "monthly-20": ["月額 20", "1 か月間使える 24 米ドル分の残高。未使用分は失効します。"],
      "credit-any": ["金額を選択", "選んだ金額の残高。有効期限はありません。"],
    },
    features: { models: "すべてのモデル", usage: "従量課金", once: "自動更新なし" },
  },
  ko: {
    plans: {
      "credit-10": ["충전 10", "만료되지 않는 10달러의 잔액."],
      "credit-50": ["충전 50", "50달러로 52달러의 잔액."],
      "monthly-20": ["월간 20", "한 달 동안 쓰는 24달러의 잔액. 남은 금액은 소멸됩니다."],
      "credit-any": ["원하는 금액", "선택한 금액만큼의 잔액. 만료되지 않습니다."],
    },
    features: { models: "모든 모델", usage: "사용한 만큼 지불", once: "자동 갱신 없음" },
  },
  es: {
    plans: {
      "credit-10": ["Recarga 10", "10 USD de saldo que no caduca."],
      "credit-50": ["Recarga 50", "52 USD de saldo por 50 USD."],
      "monthly-20": ["Mensual 20", "24 USD de saldo para un mes; lo que no se use caduca."],
      "credit-any": ["Cualquier importe", "Saldo que no caduca, por el importe que elijas."],
    },
    features: { models: "Todos los modelos", usage: "Pago por uso", once: "No se renueva automáticamente" },
  },
  fr: {
    plans: {
      "credit-10": ["Recharge 10", "10 USD de solde sans date d’expiration."],
      "credit-50": ["Recharge 50", "52 USD de solde pour 50 USD."],
      "monthly-20": ["Mensuel 20", "24 USD de solde pour un mois ; la partie non utilisée expire."],
      "credit-any": ["Montant libre", "Un solde sans expiration, du montant de votre choix."],
    },
    features: { models: "Tous les modèles", usage: "Paiement à l’usage", once: "Pas de renouvellement automatique" },
  },
  de: {
    plans: {
      "credit-10": ["Aufladung 10", "10 USD Guthaben ohne Ablauf."],
      "credit-50": ["Aufladung 50", "52 USD Guthaben für 50 USD."],
      "monthly-20": ["Monatlich 20", "24 USD Guthaben für einen Monat; der Rest verfällt."],
      "credit-any": ["Freier Betrag", "Guthaben ohne Ablauf, in der Höhe Ihrer Wahl."],
    },
    features: { models: "Alle Modelle", usage: "Bezahlung nach Verbrauch", once: "Keine automatische Verlängerung" },
  },
  pt: {
    plans: {
      "credit-10": ["Recarga 10", "10 USD de saldo que não expira."],
      "credit-50": ["Recarga 50", "52 USD de saldo por 50 USD."],
      "monthly-20": ["Mensal 20", "24 USD de saldo por um mês; o que não for usado expira."],
      "credit-any": ["Qualquer valor", "Saldo que não expira, no valor que você escolher."],
    },
    features: { models: "Todos os modelos", usage: "Pague conforme o uso", once: "Sem renovação automática" },
  },
  ru: {
    plans: {
      "credit-10": ["Пополнение 10", "10 USD на баланс без срока действия."],
      "credit-50": ["Пополнение 50", "52 USD на баланс за 50 USD."],
      "monthly-20": ["Месячный 20", "24 USD на баланс на месяц; неиспользованный остаток сгорает."],
      "credit-any": ["Любая сумма", "Баланс без срока действия на выбранную сумму."],
    },
    features: { models: "Все модели", usage: "Оплата по мере использования", once: "Без автопродления" },
  },
  ar: {
    plans: {
      "credit-10": ["شحن 10", "رصيد بقيمة 10 دولارات لا تنتهي صلاحيته."],
      "credit-50": ["شحن 50", "رصيد بقيمة 52 دولارًا مقابل 50 دولارًا."],
      "monthly-20": ["شهري 20", "رصيد بقيمة 24 دولارًا لمدة شهر، وتنتهي صلاحية ما لم يُستخدم."],
      "credit-any": ["أي مبلغ", "رصيد لا تنتهي صلاحيته بالمبلغ الذي تختاره."],
    },
    features: { models: "كل النماذج", usage: "الدفع حسب الاستخدام", once: "لا يتجدد تلقائيًا" },
  },
  hi: {
    plans: {
      "credit-10": ["टॉप-अप 10", "10 USD का बैलेंस, जिसकी कोई समय-सीमा नहीं।"],
      "credit-50": ["टॉप-अप 50", "50 USD में 52 USD का बैलेंस।"],
      "monthly-20": ["मासिक 20", "एक महीने के लिए 24 USD का बैलेंस; बचा हुआ हिस्सा समाप्त हो जाता है।"],
      "credit-any": ["कोई भी राशि", "आपकी चुनी राशि का बैलेंस, जिसकी कोई समय-सीमा नहीं।"],
    },
    features: { models: "सभी मॉडल", usage: "उपयोग के अनुसार भुगतान", once: "अपने-आप रिन्यू नहीं होता" },
  },
};

/** The texts of one of the first plans. */
export function firstPlanTexts(code: Code): PlanTexts {
  return Object.fromEntries(
    Object.entries(words).map(([locale, { plans, features }]) => {
      const [name, description] = plans[code];
      return [
        locale,
        { name, description, features: [features.models, code === "monthly-20" ? features.once : features.usage] },
      ];
    }),
  );
}
