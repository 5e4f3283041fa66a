export const consentsZh = {
  "Which edition of the terms and the privacy policy users accepted. Nothing here can be changed; closing an account clears the address.":
    "用户接受了条款和隐私政策的哪个修订版。此处内容无法更改；注销账户时会清除地址。",
  "Nobody has accepted anything yet": "还没有人接受任何内容",
  "Publish a legal page with a change that needs consent, under Branding.":
    "请在“品牌”中发布法律页面，并选择需要同意的更改。",
};
