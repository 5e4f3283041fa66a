export const organisationZh = {
  "Rename this organisation": "重命名此组织",
  "Suspend this organisation": "暂停此组织",
  "Reopen this organisation": "恢复此组织",
  Rename: "重命名",
  "Suspended: its keys and access tokens are refused, nothing can be ordered, and its members only read.":
    "已暂停：其密钥和访问令牌会被拒绝，不能下单，成员只能查看。",
  "since it was created": "自创建以来",
  "Members and projects": "成员与项目",
  "Organisation {id}": "组织 {id}",
  "Organisation {id}, account {gateway_user_id}": "组织 {id}，账户 {gateway_user_id}",
  "About the organisation": "关于此组织",
  "{spent_this_month} of {spend_per_month}": "{spent_this_month} / {spend_per_month}",
  Member: "成员",
  "Budget this month, USD": "本月预算（USD）",
  Joined: "加入时间",
  "No projects": "没有项目",
  "Its members can create some in the console.": "其成员可以在控制台中创建。",
  Project: "项目",
  "Open invitations": "待接受的邀请",
  "The organisation was renamed.": "组织已重命名。",
  "Its API keys and access tokens are refused within a second, and nobody can order or change anything for it. Members can still read. The balance and data are kept; you can reopen it later.":
    "其 API 密钥和访问令牌会在一秒内被拒绝，任何人都不能为它下单或更改。成员仍可查看。余额和数据保留，之后可以恢复。",
  "The organisation is suspended.": "组织已暂停。",
  "Its API keys and access tokens work again, and its members can change it.":
    "其 API 密钥和访问令牌恢复可用，成员可以更改它。",
  "The organisation is active again.": "组织已恢复。",
};
