export const organisationsZh = {
  "Enter an e-mail address or a user ID.": "请输入电子邮件地址或用户 ID。",
  "The organisation was created.": "组织已创建。",
  "Create organisation": "创建组织",
  "The e-mail address or ID of an active user. The organisation gets an empty balance of its own.":
    "有效用户的电子邮件地址或 ID。组织有自己的余额，初始为空。",
  "People who share one account. Search by the start of a name or API key, or by ID.":
    "共用一个账户的人。可按名称或 API 密钥的开头，或按 ID 搜索。",
  "Name, key or ID": "名称、密钥或 ID",
  "New organisation": "新建组织",
  "No organisations yet": "还没有组织",
  "Users create them in the console, or you create one for a user.": "用户可在控制台创建，您也可以为用户创建。",
};
