export const usersZh = {
  "Search by the start of an e-mail address or API key, or by user ID.":
    "可按电子邮件地址或 API 密钥的开头，或按用户 ID 搜索。",
  "Address, key or ID": "地址、密钥或 ID",
  "No users yet": "还没有用户",
  "Users appear here when they register.": "用户注册后会显示在此。",
  "Open user": "打开用户",
  "Copy the user ID": "复制用户 ID",
  "Copy the account ID": "复制账户 ID",
  "E-mail error": "邮件错误",
};
