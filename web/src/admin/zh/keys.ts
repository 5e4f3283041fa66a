export const keysZh = {
  "Search by the start of a key: “sk-” and four characters.": "按密钥开头搜索：“sk-”加四个字符。",
  "Key starts with": "密钥开头",
  "No API keys yet": "还没有 API 密钥",
  "Keys appear here when users create them.": "用户创建密钥后会显示在此。",
};
