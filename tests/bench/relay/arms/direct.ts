import type { Arm } from "../arm.ts";
import { chatHeaders } from "../load/chat-request.ts";

/** No gateway: what the load generator and the fake provider do on their own. */
export const directArm: Arm = {
  name: "direct",
  title: "direct",
  converts: false,
  async prepare() {
    return null;
  },
  async start(site) {
    return {
      port: site.providerPort,
      path: "/v1/chat/completions",
      headers: chatHeaders("sk-bench"),
      pid: null,
      companions: [],
      books: null,
      async stop() {},
    };
  },
};
