import type { PricingTexts } from "./en.ts";

export const zh: PricingTexts = {
  title: "价格",
  description: "以美元计价的套餐，以及每个模型每百万 token 的价格。",
  heading: "费用说明",
  lead: "先充值，再按调用的实际用量付费。每次调用都有一份可以重新核算的明细。",
  plans: "套餐",
  once: "一次性",
  month: "每月",
  grants: "含 {amount} 额度",
  planGroup: "在您的月度套餐到期前，您的调用属于分组 {group}：所有价格 × {multiplier}。",
  choose: "选择 {plan}",
  models: "模型",
  perMillion: "美元 / 百万 token",
  model: "模型",
  provider: "提供商",
  input: "输入",
  output: "输出",
  cached: "缓存输入",
  context: "上下文",
  noPlans: "目前没有可购买的套餐。",
  noModels: "目前没有可用的模型。",
  calculator: "估算费用",
  inputTokens: "输入 token 数",
  outputTokens: "输出 token 数",
  cost: "费用",
  costNote: "未计入账户和分组的倍率。",
  cachedTokens: "缓存输入 token 数",
  rules: {
    title: "须知",
    pay: {
      title: "支付",
      text: "银行卡或电子钱包，以美元支付。您看到的金额就是收取的金额。",
    },
    expiry: {
      title: "有效期",
      text: "一次性充值没有到期日。月度套餐的额度随当月结束；再次付款即可延长。",
    },
    failed: {
      title: "免费的情况",
      text: "以错误结束或没有输出的调用不收费。",
    },
    multiplier: {
      title: "倍率",
      text: "账户可能有专属倍率，API 密钥所属的分组也可能有；价格会乘以这两个倍率。倍率显示在控制台中，并应用于每次调用，结果向上取整。",
    },
  },
};
