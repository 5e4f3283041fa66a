import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "Upstreams",
  text: "What serves your calls. The operator manages the connections to providers; your keys can use the models below.",
  models: "Models that your keys can call",
  model: "Model",
  owner: "Provider",
  context: "Context",
  tokens: "{count} tokens",
  input: "Input, 1M tokens",
  output: "Output, 1M tokens",
  cache: "Cached input, 1M tokens",
  state: "State",
  offered: "offered",
  sunset: "ends on {date}",
  deprecated: "deprecated",
  noModels: "No models available to your account",
  noModelsText: "No connection serves your group at the moment. Calls are refused until the operator adds one.",
  profiles: "Upstream auth profiles",
  profilesText:
    "A profile describes how to log in to a provider. Profiles do not affect routing, and only admins see them.",
  show: "Show the profiles",
  adminOnly: "These profiles are for admins. Log in as an admin in this browser, then try again.",
  adminLogin: "Admin login",
  noProfiles: "No profiles yet.",
  name: "Name",
  authType: "Type",
  status: "Status",
  scope: "Models",
  allModels: "all",
  refresh: "Refresh check",
  refreshed: "Marked for a manual reconnect. No provider was called.",
  never: "never requested",
  pending: "pending_manual_connector since {time}",
  failed: "Something went wrong",
});

export type UpstreamsMessages = typeof messages;
