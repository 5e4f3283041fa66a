export const groupsZh = {
  "Name 1 to {usersMax} users.": "请填写 1 到 {usersMax} 位用户。",
  "{member} in the group.": "{member}已在分组中。",
  "E-mail addresses or user IDs, one per line, at most {usersMax}. If one is unknown, nothing is changed.":
    "电子邮件地址或用户 ID，每行一个，最多 {usersMax} 个。只要有一个不存在，就不做任何更改。",
  How: "方式",
  "In addition to the account’s own group": "在账户自身分组之外增加",
  "Instead of the account’s own group": "替换账户自身的分组",
  "Keys without a group of their own use the group with the highest rank; of equals, the account’s own.":
    "没有指定分组的密钥使用级别最高的分组；级别相同时使用账户自身的分组。",
  "The end of this day, UTC. If empty, until you remove them.": "到当天结束为止（UTC）。留空则直到您移除为止。",
  "A group that is cheaper than what an account has now waits": "比账户当前分组更便宜的分组需要等待",
  "Enter a number like 0.8, with at most six decimal places.": "请输入数字，例如 0.8，最多六位小数。",
  "Enter a whole number from 0 to {rankMax}.": "请输入 0 到 {rankMax} 的整数。",
  "The group was saved.": "分组已保存。",
  "Create group": "创建分组",
  "Save group": "保存分组",
  "Calls cost their price times this and the user’s own multiplier. 1 changes nothing.":
    "调用费用为价格乘以此倍率和用户自身的倍率。1 表示不变。",
  "A public group is used only by keys that name it.": "公开分组只由指定它的密钥使用。",
  "Keys without a group of their own use the user’s group with the highest rank.":
    "没有指定分组的密钥使用用户级别最高的分组。",
  "Users see it where they choose a group.": "用户在选择分组时会看到。",
  "A change that makes calls cheaper waits": "使调用更便宜的更改需要等待",
  "New accounts start in this group": "新账户从此分组开始",
  "It replaces the group where they start now. Existing accounts stay where they are.":
    "它取代新账户目前的起始分组。已有账户保持不变。",
  "New accounts from these domains start here": "这些域名的新账户从此分组开始",
  "One per line, like example.org. List subdomains separately.": "每行一个，例如 example.org。子域名须单独列出。",
  "every user": "所有用户",
  "users added by an admin": "管理员添加的用户",
  "buyers of its plans": "其套餐的购买者",
  "{count} organisation is": "{count} 个组织",
  "{count} organisations are": "{count} 个组织",
  "{count} user is": "{count} 位用户",
  "{count} users are": "{count} 位用户",
  "Added users": "添加的用户",
  "A group decides which channels serve its users, and what they pay: each price times its multiplier.":
    "分组决定由哪些渠道服务其用户，以及他们支付的价格：各项价格乘以其倍率。",
  "No groups yet": "还没有分组",
};
