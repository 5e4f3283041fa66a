export const modelMapZh = {
  "This is not a JSON object.": "这不是 JSON 对象。",
  "The map was saved and applies now.": "映射已保存并立即生效。",
  "Add name": "添加名称",
  "Name clients use": "客户端使用的名称",
  "The name of a model in the catalog.": "目录中某个模型的名称。",
  "Release date": "发布日期",
  "Like 2026-05-01T00:00:00Z; clients sort by it.": "例如 2026-05-01T00:00:00Z；客户端据此排序。",
  "If off, clients do not see the name.": "关闭后，客户端看不到此名称。",
  Flags: "标志",
  "A JSON object of the flags that differ from the default, like {example}.":
    "与默认值不同的标志，以 JSON 对象表示，例如 {example}。",
  "Also a model": "同名模型",
  "in the catalog": "在目录中",
  "all default": "全部为默认",
  enabled: "已启用",
  "Maps the names that clients of the Messages API use to models. Changes apply immediately in every process.":
    "把 Messages API 客户端使用的名称映射到模型。更改在所有进程中立即生效。",
  "Name or model": "名称或模型",
  "New name": "新建名称",
  "The map is empty": "映射为空",
  "Clients of the Messages API can't use any model until you add a name.":
    "在您添加名称之前，Messages API 的客户端无法使用任何模型。",
  "Edit name": "编辑名称",
  "The catalog has a model {name}, too. That model is used where every group gets it from a channel that speaks the Messages API; otherwise this entry maps its name to {upstream_model}.":
    "目录中也有模型 {name}。如果每个分组都能从支持 Messages API 的渠道获得它，则直接使用该模型；否则此条目将其名称映射到 {upstream_model}。",
  "Flags that differ from the default": "与默认值不同的标志",
};
