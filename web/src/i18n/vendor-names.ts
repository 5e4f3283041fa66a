/** Names that are the same in each language, by vendor. */
const brands: Readonly<Record<string, string>> = {
  alipay: "Alipay",
  apple_pay: "Apple Pay",
  google_pay: "Google Pay",
  paypal: "PayPal",
  unionpay: "UnionPay",
  venmo: "Venmo",
  wechat_pay: "WeChat Pay",
  wechatpay: "WeChat Pay",
};

/**
 * What people call a vendor of a payment gateway; of one that nobody knows, the operator's own name.
 * @param words the words of the language for those that are no brands
 */
export function vendorName(vendor: string, words: { readonly card: string; readonly crypto: string }): string {
  const id = vendor.replace(/^cardpay_/, "");
  if (id === "card" || id === "creditcard") {
    return words.card;
  }
  return id === "crypto" ? words.crypto : (brands[id] ?? id.replaceAll("_", " "));
}
