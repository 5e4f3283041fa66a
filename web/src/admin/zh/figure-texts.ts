export const figureTextsZh = {
  "Payments received, in US dollars. Mock payments are excluded.": "收到的付款，单位为美元。不含模拟付款。",
  "Money returned by the payment gateways, on the day it was returned.": "支付网关退回的款项，按退回当天计。",
  "Net revenue": "净收入",
  "Revenue less refunds.": "收入减去退款。",
  "Mock payments": "模拟付款",
  "Orders settled by the development mock gateway. No money was paid.": "由开发用模拟网关结算的订单，没有实际付款。",
  "Payments received, mock payments excluded.": "收到的付款，不含模拟付款。",
  "Calls with a valid key, whatever their outcome.": "使用有效密钥的调用，不论结果如何。",
  "Tokens read and written, including cached and reasoning tokens.": "读取和写入的 token，包括缓存和推理 token。",
  "Tokens read by models, including cached tokens.": "模型读取的 token，包括缓存的 token。",
  "Tokens written by models, including reasoning tokens.": "模型写入的 token，包括推理 token。",
  "What calls were charged, after multipliers.": "调用的收费，已计倍率。",
  "Spend before multipliers": "计倍率前的支出",
  "What calls were charged, before the multipliers of users.": "调用的收费，未计用户的倍率。",
  "Success rate": "成功率",
  "Completed calls as a share of completed and failed calls, including those that found no provider. Calls refused because of the client, or cancelled by it, are excluded.":
    "已完成的调用占已完成和失败调用的比例，包括没有找到提供商的调用。因客户端而被拒绝或由其取消的调用不计入。",
  "Accounts registered, verified or not.": "已注册的账户，不论是否验证。",
  "Active users": "活跃用户",
  "Users who made at least one call.": "至少调用过一次的用户。",
  "Repeat users": "回访用户",
  "Active users who had made a call before this range.": "在此时间段之前已有调用的活跃用户。",
  "Mail failures": "邮件失败",
  "E-mails queued in the range that could not be delivered.": "此时间段内排队但未能送达的邮件。",
  "Pending orders": "待付款订单",
  "Orders that are waiting for payment and have not expired.": "等待付款且尚未过期的订单。",
  "Orders in review": "审核中的订单",
  "Orders whose payment did not match.": "付款不相符的订单。",
  "Pending leads": "待处理的销售线索",
  "Enterprise leads without a response.": "尚未回复的企业销售线索。",
  "Exit nodes that are not disabled.": "未停用的出口节点。",
  "Healthy nodes": "健康的节点",
  "Exit nodes that are not disabled and whose latest health check succeeded.":
    "未停用且最近一次健康检查成功的出口节点。",
  "Requests with stored bodies whose key still exists. This only counts them; reading one is recorded.":
    "存有内容且密钥仍存在的请求。此处只计数；读取会被记录。",
  "Calls that a provider answered, as a share of these and of those at which it failed, was too slow or was not reached. Calls that the provider refused for what they asked are left out; calls that the client left count as answered.":
    "提供商已应答的调用，占其与提供商失败、过慢或无法到达的调用之和的比例。提供商因请求内容而拒绝的不计入；客户端离开的计为已应答。",
  "Attempts that a channel answered, as a share of all that say something about it, including those of calls that another channel then answered.":
    "渠道已应答的尝试占所有能说明其状况的尝试的比例，也包括随后由其他渠道应答的调用。",
  "The time from the arrival of a call until the first byte of its response went to the client.":
    "从调用到达至响应首字节发给客户端的时间。",
  "The time from the arrival of a call until its response ended.": "从调用到达至响应结束的时间。",
  "p50, p95, p99": "p50、p95、p99 百分位",
  "Half of the calls, and 95 and 99 in a hundred, were this fast or faster. They are estimated from a histogram, and accurate to about 10%.":
    "一半、95 % 和 99 % 的调用达到或快于此值。它们由分级的汇总数据得出，精确到十分之一。",
  "Output tokens of streamed responses for each second between first byte and end.":
    "流式响应从首字节到结束之间每秒的输出 token。",
  "The same number of days, or hours, right before. A change compares with as much of it as has passed of the chosen one.":
    "紧接之前的相同天数或小时数。变化只与所选时间段已过去的等长部分比较。",
  "Days and today": "日期与今天",
  "Days begin at midnight in the chosen time zone; performance has days of UTC. Today is not over: its bar is paler, and its sums still grow.":
    "日期从所选时区的午夜开始；性能按 UTC 日期。今天尚未结束：其柱形颜色较浅，合计仍会增长。",
  "As of": "截至",
  "Sums have every call that had ended and was settled by this time, which is a minute or two ago.":
    "合计包含截至此时已结束并结算的所有调用，约为一两分钟前。",
};
