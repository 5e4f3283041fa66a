export const tokensZh = {
  "Choose what the token may do.": "请选择令牌可以做什么。",
  "Create an access token": "创建访问令牌",
  "For example, the program that will use it. The audit log shows the name with each action.":
    "例如使用它的程序名称。审计日志会显示它及其操作。",
  "What it may do": "可以做什么",
  "Expires after": "有效期",
  "{days} days": "{days} 天",
  "The token was not created": "令牌未创建",
  Create: "创建",
  "Create token": "创建令牌",
  "The token {name} was revoked.": "令牌 {name} 已吊销。",
  "A program with one of your tokens does what you may do at that moment, as far as its scopes go. No token can change logins, rights, secrets or settings, or read contents of calls.":
    "持有您令牌的程序可在其范围内做您当时可以做的事。任何令牌都不能更改登录信息、权限、机密或设置，也不能读取调用内容。",
  "Your tokens": "您的令牌",
  "What programs can call": "程序可以调用的接口",
  "No access tokens": "没有访问令牌",
  "Create one for a script or a command.": "为脚本或命令创建一个。",
  "Revoke this token?": "吊销此令牌？",
  "Programs that use “{name}” are refused from now on. This can't be undone.":
    "使用“{name}”的程序此后会被拒绝。此操作无法撤销。",
  Token: "令牌",
  "May do": "可以做",
  "Your new access token": "您的新访问令牌",
  "Copy it now: it is shown only once. Programs send it as “Authorization: Bearer”.":
    "请立即复制：它只显示一次。程序以“Authorization: Bearer”发送它。",
  "Reads calls, traces without contents, reports and the health of channels.":
    "读取调用、不含内容的追踪、报表和渠道健康状况。",
  "Reads and changes the API keys of customers.": "读取和更改客户的 API 密钥。",
  Billing: "账务",
  "Reads orders, payments and the ledger; adjusts and refunds within your limits.":
    "读取订单、付款和账本；在您的限额内调整和退款。",
  "Reads and changes users, their groups and limits.": "读取和更改用户及其分组和限额。",
  "Reads and changes channels, models, prices and exit nodes.": "读取和更改渠道、模型、价格和出口节点。",
  Everything: "全部",
  "All of the above, and mail, leads, the audit log and what waits for approval.":
    "以上全部，以及邮件、销售线索、审计日志和待审批事项。",
  "What requires a recent login": "需要最近登录的操作",
  "Also what otherwise requires a recent login, within the scopes above. For super-admins, 90 days at most.":
    "在上述范围内，也可执行通常要求最近登录的操作。仅限超级管理员，最长 90 天。",
};
