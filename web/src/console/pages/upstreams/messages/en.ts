import { english } from "../../../../i18n/messages.ts";

export const messages = english({
  title: "Upstreams",
  text: "What answers your calls. The operator of this service keeps the connections to providers; your keys reach the models below.",
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
  deprecated: "replaced by a newer one",
  noModels: "No model is offered to your account",
  noModelsText: "No connection serves your group at the moment. Calls are refused until the operator adds one.",
  profiles: "Upstream auth profiles",
  profilesText:
    "A profile says how one would log in at a provider. Profiles are metadata: no call is routed by them, and only admins see them.",
  show: "Show the profiles",
  adminOnly: "These profiles are for admins. Log in as an admin in this browser, then try again.",
  adminLogin: "Admin login",
  noProfiles: "No profile is kept yet.",
  name: "Name",
  authType: "Type",
  status: "Status",
  scope: "Models",
  allModels: "all",
  refresh: "Refresh check",
  refreshed: "It is marked as one that somebody has to connect by hand. No provider was called.",
  never: "never asked for",
  pending: "pending_manual_connector since {time}",
  failed: "It did not work",
});

export type UpstreamsMessages = typeof messages;
