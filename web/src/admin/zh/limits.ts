export const limitsZh = {
  group: "分组",
  plan: "套餐",
  user: "用户",
  key: "密钥",
  "Edit the default": "编辑默认限额",
  "Edit limits of this {scope}": "编辑此{scope}的限额",
  organisation: "组织",
  "{name}, from {source}{group}{plan}": "{name}，来自{source}{group}{plan}",
  "The default, group, plan and account limits cover all keys of an account together. A value set for a group or a plan replaces the default. The strictest of group, plan, account and key applies; of several plans, the most generous. Spending is counted by the calendar in UTC, whatever group a key names. Usage per minute counts calls that ended in the last minute.":
    "默认、分组、套餐和账户的限额由账户的所有密钥共同计算。分组或套餐自身的值取代默认值。在分组、套餐、账户和密钥中采用最严格的；有多个套餐时采用最宽松的。支出按 UTC 日历计算，与密钥指定的分组无关。每分钟已用为最近一分钟内结束的调用。",
  Counts: "生效值",
  "Used now": "当前已用",
  Default: "默认",
  "Group {group}": "分组 {group}",
  "By the calendar in UTC.": "按 UTC 日历计算。",
  "Enter an amount in US dollars above 0, or leave this empty for no limit.":
    "请输入大于 0 的美元金额，留空表示无限制。",
  "Enter a whole number, or leave this empty for no limit.": "请输入整数，留空表示无限制。",
  "The limits were saved and apply now.": "限额已保存并立即生效。",
  "Save limits": "保存限额",
  "{name}, USD": "{name}（USD）",
  "Spending per day": "每日支出",
  "Spending per month": "每月支出",
  "Organisation ID": "组织 ID",
  "How many calls accounts may make per minute and at the same time, what they may spend, and which limits apply to a call. Each running process enforces an equal share of limits per minute and of concurrent calls; spending limits hold exactly.":
    "账户每分钟和同时可以调用多少、可以支出多少，以及哪些限额适用于某次调用。每分钟和并发限额由各运行进程平均分担；支出限额精确执行。",
  "Whose calls": "谁的调用",
};
