import type { HomeTexts } from "./en.ts";

export const zh: HomeTexts = {
  title: "通往模型 API 的网关",
  description: "一个地址、一把密钥接入模型 API，每次调用都有精确账目。",
  heading: "一把密钥接入\u200b模型\u00a0API，每次调用账目分明",
  lead: "程序用任意 OpenAI 客户端访问 {path} 即可。GET /v1/models 会列出密钥可用的模型。",
  prices: "查看价格",
  logIn: "登录",
  example: "第一次调用",
  start: "创建账户",
  model: "模型",
  copy: "复制",
  copied: "已复制",
  figures: {
    title: "本服务的数据",
    models: "个模型",
    answered: "的调用在 30 天内得到响应",
    firstByte: "{model} 首字节时间，7 天中位数",
  },
  apis: {
    title: "您的程序已经会用的接口",
    lead: "只需更换地址和密钥，其余一切照旧。",
    api: "接口",
    path: "地址",
    clients: "适用于",
    more: "嵌入、图像、音频、内容审核",
    listing: "密钥可用的模型",
  },
  strip: {
    title: "价格",
    all: "全部模型与价格",
    input: "输入",
    output: "输出",
    perMillion: "每百万 token",
  },
  billing: {
    title: "如何计费",
    load: {
      title: "充值",
      text: "选择套餐，用银行卡或电子钱包支付。所有价格均以美元计。",
    },
    call: {
      title: "调用",
      text: "每次调用按 token 精确计价，只在最后向上取整一次。",
    },
    check: {
      title: "核对",
      text: "每次调用都有列明用量和单价的明细，您可以自行复核。",
    },
  },
  faq: {
    title: "常见问题",
    code: {
      question: "需要修改代码吗？",
      answer: "只需更换地址和密钥。OpenAI 客户端的基础地址填 {openai}，Anthropic 客户端填 {anthropic}。",
    },
    fail: {
      question: "失败的调用收费吗？",
      answer: "不收费。以错误结束或没有输出的调用免费。如果您中途断开，只需支付已经生成的部分。",
    },
    limit: {
      question: "可以限制密钥的花费吗？",
      answer: "可以。每把密钥都能设置预算、到期日、可用模型、允许的地址和每分钟限额，并可随时吊销。",
    },
    store: {
      question: "我的请求会被保存吗？",
      answer:
        "请求和回答会加密保存一小段时间，之后销毁。您可以为每把密钥单独关闭保存。查看内容必须说明理由，并会留下记录。",
    },
    plan: {
      question: "充值额度和月度套餐有什么不同？",
      answer: "充值额度用完为止。月度套餐提供当月额度，月末未用完的部分随之失效。",
    },
  },
};
