import type { GuideTexts } from "./en.ts";

export const zh: GuideTexts = {
  guides: {
    title: "指南",
    description: "流式输出、工具、图片、向量嵌入和结构化输出，附可直接运行的代码。",
    lead: "每个示例都可以直接运行。并非每个模型都支持所有功能：不支持时，错误会指出相应的参数。",
    streaming: "流式输出",
    streamingText: "将 `stream` 设为 `true` 后，响应会在模型生成的同时分段到达。",
    streamingRule: {
      end: "完整的流以 `data: [DONE]` 结束。没有它，响应就不完整。",
      usage: "`stream_options` 中设置 `include_usage: true`，最后一段会附上 token 数。",
      error: "如果提供商在第一段之后出错，流会以一个错误事件结束。您只为已交付的部分付费。",
      cancel: "要取消，请关闭连接。取消的请求如何收费，参见[计费](/docs/billing/#free)。",
    },
    tools: "工具",
    toolsText: "在 `tools` 中描述函数。模型需要某个函数时会给出名称和参数；您运行它并把结果发回，模型再继续。",
    toolsRule: {
      check: "运行之前先检查参数：模型可能出错。",
      limit: "像示例那样限制轮数。",
      hosted: "由提供商自己运行的工具（例如网页搜索）只有在运营方设定了价格时才可用。",
    },
    vision: "图片",
    visionText: "把图片作为消息的一部分发送：使用 `https` 地址或 `data:` URL。",
    visionRule: {
      tokens: "图片按输入 token 计费，数量取决于模型和图片的大小。",
      size: "图片越大，请求就越大。请缩小到模型所需的尺寸。",
    },
    embeddings: "向量嵌入",
    embeddingsText: "含义相近的文本，其向量也相近。可以在一个请求中发送多段文本。",
    embeddingsRule: {
      compare: "只比较同一模型的向量。点积越大，文本越接近。",
      dimensions: "有些模型接受 `dimensions`，以得到更短的向量。",
    },
    structured: "结构化输出",
    structuredText: "使用 `response_format`，响应就是符合您的 schema 的 JSON。",
    structuredRule: {
      cut: "如果 `finish_reason` 为 `length`，说明 JSON 被截断。请提高 `max_tokens`。",
      older: "对于不支持 schema 的模型，请使用 `json_object`，并在提示中描述字段。",
    },
  },
  limits: {
    title: "限制",
    description: "请求的大小、每分钟的请求数和 token 数、预算，以及达到上限时该怎么办。",
    lead: "限制属于某个密钥或整个账户。错误会说明您达到了哪一个。",
    size: "请求的大小",
    rates: "每分钟的请求数和 token 数",
    ratesText: "有限制时，每个响应都会说明还剩多少。限制按最近一分钟计算。",
    inOpenai: "OpenAI 格式",
    inAnthropic: "Anthropic 格式",
    waiting: "达到上限时",
  },
  troubleshooting: {
    title: "故障排查",
    description: "请求失败、提前停止、费用超出预期或由其他模型应答时，应检查什么。",
    lead: "先看响应中的代码：[错误](/docs/errors/)逐一作了说明。这里列出不易察觉的原因。",
    key: "密钥正确却被拒绝",
    keyText:
      "许多客户端会优先使用环境变量中的密钥，例如 `OPENAI_API_KEY` 或 `ANTHROPIC_API_KEY`。请删除它，然后单独测试密钥：",
    address: "每个请求都返回 404",
    addressText:
      "基础 URL 不对。OpenAI 客户端应以 `/v1` 结尾；Anthropic 客户端应以 `/msgcompat` 结尾，它们会自己加上 `/v1`。",
    model: "模型不存在",
    modelText:
      "从[模型列表](/models/)中复制名称，注意区分大小写。如果列表中有该模型，可能是密钥只能使用其他模型。`GET /v1/models` 会列出密钥可用的模型。",
    balance: "有余额却被拒绝",
    balanceText:
      "请求之前会预留它最多可能花费的金额。请降低 `max_tokens`，或在 [API 密钥](/console/keys/)中查看密钥的预算。",
    stops: "响应中途停止",
    stopsText:
      "如果 `finish_reason` 为 `length`，请提高 `max_tokens`。如果流没有最后的事件就结束了，说明客户端超时，或中间的代理关闭了连接。",
    late: "流一次性全部到达",
    lateText: "中间有东西把它缓存了。请关闭代理的缓冲，或在其他网络中用 `curl -N` 试试。",
    another: "由其他模型应答",
    anotherText:
      "如果密钥允许备用模型，`x-sluice-model-used` 会给出实际应答的模型。在 `/msgcompat` 下，运营方可以把 Claude 名称指向其他模型；`/msgcompat/v1/models` 列出了这些名称。",
    cost: "请求的费用超出预期",
    costText: "在[用量](/console/usage/)中打开明细：其中列出了每个价格和数量。会思考的模型，思考部分按输出计费。",
    support: "客服需要什么",
    supportText: "响应的 `x-request-id`、时间，以及您期望的结果。切勿发送密钥。",
  },
};
